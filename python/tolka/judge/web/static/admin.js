// Brings the figures up to date, as long as the box is ticked and the page is looked at.
"use strict";

const box = document.getElementById("live");
const standing = document.getElementById("standing");
box.closest("label").hidden = false;

async function refresh() {
  // A person who is about to press something in there must not lose it.
  if (!box.checked || document.hidden || standing.contains(document.activeElement)) return;
  const response = await fetch("/admin/live", { headers: { accept: "text/html" } });
  if (!response.ok) {
    box.checked = false;
    return;
  }
  standing.innerHTML = await response.text(); // our own page, escaped by the server
}

setInterval(() => {
  refresh().catch(() => {});
}, 4000);
