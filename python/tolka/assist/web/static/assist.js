// One key a sentence: the same, something else, cannot tell; after the last one the answer goes off by itself.
// Without this script the page works all the same, with Tab, arrows and Enter.
"use strict";

const asked = document.querySelector("form[data-yes-no]");
const outputs = asked ? [...asked.querySelectorAll(".output")] : [];
const verdicts = { y: "yes", 1: "yes", n: "no", 2: "no", 0: "unknown" };
const again = outputs.some((output) => output.querySelector(":checked")); // it was answered before, and taken back
let at = 0;

function point() {
  outputs.forEach((output, number) => output.classList.toggle("current", number === at));
  outputs[at]?.scrollIntoView({ block: "nearest" });
}

function mark(number, value) {
  outputs[number].querySelector(`[value="${value}"]`).checked = true;
  at = number + 1;
  if (at < outputs.length) point();
  else asked.requestSubmit();
}

function typed(event) {
  if (event.repeat || event.ctrlKey || event.altKey || event.metaKey || !asked) return;
  const key = event.key.toLowerCase();
  if (!outputs.length) {
    // One sentence alone has buttons, which the page's own script knows by their digits.
    const button = key in verdicts && !/[0-9]/.test(key) && asked.querySelector(`[value="${verdicts[key]}"]`);
    if (!button) return;
    event.preventDefault();
    button.click();
    return;
  }
  if (document.body.classList.contains("sent")) return;
  if (key in verdicts) {
    event.preventDefault();
    mark(Math.min(at, outputs.length - 1), verdicts[key]);
  } else if ((key === "u" || key === "backspace") && at > 0) {
    event.preventDefault();
    at -= 1;
    for (const one of outputs[at].querySelectorAll("input")) one.checked = false;
    point();
  }
}

document.addEventListener("keydown", typed);

// A finger or a mouse need not look for the button below; arrows that only pass through a choice do not answer.
let pointed = false;
for (const [number, output] of outputs.entries()) {
  // The label that was clicked clicks its input in turn, with no detail; so do arrows, without a label before.
  output.addEventListener("click", (event) => {
    pointed = pointed || event.detail > 0;
  });
  output.addEventListener("keydown", () => {
    pointed = false;
  });
  output.addEventListener("change", () => {
    const chosen = pointed;
    pointed = false;
    if (!chosen || again) return;
    const next = outputs.findIndex((one) => !one.querySelector(":checked"));
    at = next < 0 ? number + 1 : next;
    if (next < 0) asked.requestSubmit();
    else point();
  });
}

if (outputs.length) point();
