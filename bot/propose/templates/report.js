// Cards are kept as text until they come near, are opened or the browser has time: a page of a thousand proposals opens at once.
function cards(kept) {
  const leaf = kept.parentElement;
  kept.outerHTML = kept.textContent;
  for (const card of leaf.querySelectorAll(".card")) near.observe(card);
}
// What is too wide scrolls by keyboard too.
function reachable(part) {
  for (const box of part.querySelectorAll(".formula, blockquote p, li, td")) if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
}
const near = new IntersectionObserver((seen) => {
  for (const { target, isIntersecting } of seen) {
    if (!isIntersecting) continue;
    if (target.matches(".card")) { reachable(target); near.unobserve(target); continue; }
    const kept = target.open !== false && target.querySelector(":scope > noscript");
    if (kept) cards(kept);
  }
}, { rootMargin: "100% 0px" });
for (const part of document.querySelectorAll(".leaf, .card")) near.observe(part);
document.addEventListener("toggle", ({ target }) => {
  const kept = target.open && target.querySelector(":scope > noscript");
  if (kept) cards(kept);
  if (target.open && target.closest(".card")) reachable(target);
}, true);
const all = () => document.querySelectorAll("noscript").forEach(cards);
addEventListener("beforeprint", all);
// The browser's own search finds what is in the page, also in what is closed: all of it comes in time, or when the search begins.
const idle = window.requestIdleCallback || ((act) => setTimeout(act, 50));
function next() {
  const kept = document.querySelector("noscript");
  if (!kept) return;
  cards(kept);
  idle(next);
}
addEventListener("load", () => idle(next));
addEventListener("keydown", ({ key, ctrlKey, metaKey }) => { if (key === "F3" || ((ctrlKey || metaKey) && key.toLowerCase() === "f")) all(); });
// An address opens what holds it, and is led to.
function open() {
  const id = location.hash.slice(1);
  if (!/^[\w-]+$/.test(id)) return;
  const kept = [...document.querySelectorAll("noscript")].find((each) => each.textContent.includes(`id="${id}"`));
  if (kept) cards(kept);
  const found = document.getElementById(id);
  const leaf = found && found.closest("details.leaf");
  if (leaf) leaf.open = true;
  // What comes near on the way has another height than was reserved for it: the place is found again for some frames.
  let frames = 20;
  const settle = () => { found.scrollIntoView({ behavior: "instant" }); if (frames--) requestAnimationFrame(settle); };
  if (found) settle();
}
addEventListener("hashchange", open);
open();
