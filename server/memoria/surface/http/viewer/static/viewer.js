// What pages do beyond links and forms. Each page reads and works without it.
"use strict";

// Keys in a list: j and k move between its items, and a letter presses the button that names it.
const items = [...document.querySelectorAll("[data-item]")];
const moveBy = (step) => {
  const at = items.indexOf(document.activeElement?.closest("[data-item]"));
  items[Math.min(Math.max(at + step, 0), items.length - 1)]?.focus();
};
const isTyping = (target) => target.matches("input:not([type=hidden]), textarea, select");
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (event.key === "/") {
    event.preventDefault();
    document.getElementById("find")?.focus();
  } else if (event.key === "j") moveBy(1);
  else if (event.key === "k") moveBy(-1);
  else {
    const item = document.activeElement?.closest("[data-item]");
    const pressed = item?.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (!pressed) return;
    event.preventDefault(); // else the letter goes into the field that is opened
    pressed.click();
    pressed.parentElement.querySelector("textarea")?.focus();
  }
});
