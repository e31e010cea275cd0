/* Checkout: tax by country, paying. */
import { call, euros } from "./shop.js";

const form = document.getElementById("pay");

async function showTax() {
  const country = form.country.value;
  const told = await call("GET", `/api/tax?country=${country}&cents=${form.dataset.cents}`);
  document.getElementById("tax").textContent = euros(told.tax_cents);
}

async function pay(event) {
  event.preventDefault();
  const order = Object.fromEntries(new FormData(form));
  order.card_number = order.card_number.replaceAll(" ", "");
  try {
    const receipt = await call("POST", "/api/pay", order);
    location.assign(`/thanks?order=${receipt.order}`);
  } catch (error) {
    document.getElementById("pay-note").textContent = `Not paid: ${error.message}`;
    Sentry.captureException(error, { tags: { feature: "checkout" } });
  }
}

form.country.addEventListener("change", showTax);
form.addEventListener("submit", pay);
showTax();
