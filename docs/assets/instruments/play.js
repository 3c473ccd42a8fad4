/* A button that moves a value on, stop by stop, until the last: started and stopped by the reader only. */
import { make } from "./ui.js";

/** `advance(first)` moves on and says whether it could; `first` is true for the press that starts it. */
export const play = (label, advance, pause = 900) => {
  const button = make("button", { type: "button", class: "mw-i-button" }, label);
  let timer = 0;
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    button.textContent = label;
  };
  button.addEventListener("click", () => {
    if (timer) return stop();
    advance(true);
    button.textContent = "Pause";
    timer = setInterval(() => {
      if (!button.isConnected || !advance(false)) stop();
    }, pause);
  });
  return { button, stop };
};
