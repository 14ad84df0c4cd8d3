// One key press answers a question. Without this script the page works all the same, with Tab and Enter.
"use strict";

const form = document.getElementById("answer");
const start = performance.now();
let sent = false;

function pressed(event) {
  if (event.defaultPrevented || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
  const undo = document.getElementById("undo");
  if (event.key.toLowerCase() === "u" && undo) {
    event.preventDefault();
    if (!sent) undo.click();
    return;
  }
  if (!form) return;
  const sides = document.dir === "rtl" ? { ArrowLeft: "2", ArrowRight: "1" } : { ArrowLeft: "1", ArrowRight: "2" };
  // A form of two sides says so; elsewhere arrows are the browser's.
  const key = "sides" in form.dataset ? sides[event.key] || event.key : event.key;
  // Enter on a focused button is that button's own.
  if (key === "Enter" && event.target instanceof HTMLElement && event.target.closest("button, a")) return;
  const target = /^([0-9]|Enter)$/.test(key) ? document.querySelector(`[data-key="${key}"]`) : null;
  if (!target) return;
  event.preventDefault();
  target.focus();
  target.click();
}

document.addEventListener("keydown", pressed);

// What was not on the screen yet cannot have been judged: a button that answers after reading waits for the ends of all
// texts to have been seen, and until then goes on to more of them.
const bar = document.querySelector(".choices");
const unread = new Set(document.querySelectorAll("[data-end]"));
const edge = () => Math.min(window.innerHeight, bar ? bar.getBoundingClientRect().top : window.innerHeight) + 4;

function look() {
  for (const end of unread) if (end.getBoundingClientRect().top <= edge()) unread.delete(end);
}

function readOn(event) {
  look();
  if (!unread.size) return;
  event.preventDefault();
  for (const note of document.querySelectorAll("[data-unread]")) note.hidden = false;
  const [end] = unread;
  const covered = document.querySelector(".givens.long")?.getBoundingClientRect().bottom || 0;
  const page = Math.max(edge() - Math.max(covered, 0) - 40, 80);
  window.scrollBy({ top: Math.min(end.getBoundingClientRect().top - edge() + 16, page) });
  requestAnimationFrame(look);
}

if (unread.size) {
  look();
  for (const name of ["scroll", "resize"]) window.addEventListener(name, look, { passive: true });
  for (const button of document.querySelectorAll("[data-after-reading]")) button.addEventListener("click", readOn);
}

for (const one of document.forms) {
  one.addEventListener("submit", (event) => {
    if (sent) {
      event.preventDefault();
      return;
    }
    sent = true;
    document.body.classList.add("sent");
    if (one === form) form.elements.milliseconds.value = String(Math.round(performance.now() - start));
  });
}

// A page that comes back from the browser's history may be answered again; the server knows what it has.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) window.location.reload();
});
