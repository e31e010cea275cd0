/* One product: its stock, what goes with it, putting it into the cart. */
import { call, euros, showCartCount } from "./shop.js";

const sku = document.querySelector(".product").dataset.sku;

function priceTag(item) {
  return euros(item.price.cents);
}

function renderRelated(items) {
  document.getElementById("related").innerHTML = items
    .map((item) => `<li class="card"><a href="/products/${item.sku}"><img src="/pictures/${item.sku}.svg" alt="" width="400" height="300">
      <strong>${item.name}</strong><span>${priceTag(item)}</span></a></li>`)
    .join("");
}

async function showStock() {
  const note = document.getElementById("stock");
  try {
    const told = await call("GET", `/api/stock/${sku}`);
    note.textContent = `${told.available} in stock`;
  } catch (error) {
    note.textContent = "Stock unknown just now";
    Sentry.captureException(error, { tags: { feature: "stock" }, extra: { sku } });
  }
}

function deliveryDate(days) {
  const date = new Date(Date.now() + days * 864e5);
  return date.toISOString().slice(0, 10);
}

document.getElementById("add").addEventListener("click", async () => {
  Sentry.addBreadcrumb({ category: "ui", message: `put ${sku} into the cart` });
  await call("POST", "/api/cart", { sku, quantity: 1 });
  await showCartCount();
});

document.getElementById("delivery").addEventListener("click", () => {
  const days = { Seating: 21, Tables: 14 }[document.querySelector(".kind").textContent];
  // Kinds without a number of days make an invalid date.
  document.getElementById("delivery-date").textContent = deliveryDate(days);
});

showStock();
call("GET", `/api/recommendations/${sku}`).then(renderRelated);
