"use strict";
const cards = document.getElementById("cards");
const sort = document.getElementById("sort");
if (cards && sort) {
  const value = (card) => {
    if (sort.value === "line") return -Number(card.dataset.line);
    if (sort.value === "spread") return Number(card.dataset.spread);
    return Number(card.dataset.ahead.split(",")[Number(sort.value)]);
  };
  sort.addEventListener("change", () => {
    const listed = Array.from(cards.children);
    listed.sort((a, b) => value(b) - value(a) || Number(a.dataset.line) - Number(b.dataset.line));
    cards.replaceChildren(...listed);
  });
}
