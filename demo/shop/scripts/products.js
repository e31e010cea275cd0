/* The list: comparing what is on it. */
import "./shop.js";

function cheapest(cards) {
  return cards.reduce((left, right) => (left.price < right.price ? left : right));
}

function compare() {
  const cards = [...document.querySelectorAll(".card")].map((card) => ({
    name: card.querySelector("strong").textContent,
    // The class was renamed on the page, not here.
    price: Number(card.querySelector(".price").textContent.slice(2)),
  }));
  document.getElementById("compare").textContent = `The cheapest is ${cheapest(cards).name}`;
}

document.getElementById("compare").addEventListener("click", compare);
