// Buttons that copy a text; without scripts it can be selected.
"use strict";

for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = !navigator.clipboard; // browsers have it on pages that others cannot read along
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = button.dataset.copied;
  });
}
