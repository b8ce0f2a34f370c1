// What pages do beyond links and forms. Each page reads and works without it.
"use strict";

// Keys in a list: j and k move between its items, and a letter presses the button that names it.
const moveBy = (step) => {
  const items = [...document.querySelectorAll("[data-item]")];
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

// A live list: a stream tells by ids that something has happened, and the page is asked for the rest.
const live = document.querySelector("[data-live]");
const MOST_LIVE = 100, GATHERED_MS = 300;
let isDue = false, isAsking = false;
const takeNew = async () => {
  isDue = true;
  if (isAsking) return;
  isAsking = true;
  while (isDue) {
    isDue = false;
    await new Promise((resolve) => setTimeout(resolve, GATHERED_MS));
    const asked = `${live.dataset.live}?after=${live.dataset.after}`;
    const answer = await fetch(asked).catch(() => null); // the stream tells when it is back
    if (!answer?.ok) break;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const found = page.querySelector("[data-live]");
    isDue ||= found.dataset.after !== live.dataset.after;
    live.dataset.after = found.dataset.after;
    live.prepend(...found.children);
    while (live.children.length > MOST_LIVE) live.lastElementChild.remove();
    if (live.children.length) document.querySelector(".empty")?.remove();
  }
  isAsking = false;
};
if (live) {
  const stream = new EventSource(`${live.dataset.stream}?after=${live.dataset.after}`);
  for (const type of live.dataset.types.split(" ")) stream.addEventListener(type, takeNew);
}
