/* The page Lab. */
export { mount } from "../lab/page.js";
