/* A probe of the Lab, in place. */
export { mount } from "../lab/place.js";
