/* The cart: coupons and loyalty points. */
import { call, euros } from "./shop.js";

function applyLoyalty() {
  const total = Number(document.getElementById("total").dataset.cents);
  // Nobody ever defined it.
  document.getElementById("total").textContent = euros(total - loyaltyPoints * 10);
}

async function applyCoupon(event) {
  event.preventDefault();
  const note = document.getElementById("coupon-note");
  const code = new FormData(event.target).get("code");
  const cents = document.getElementById("total").dataset.cents;
  try {
    const told = await call("GET", `/api/coupons/${encodeURIComponent(code)}?cents=${cents}`);
    note.textContent = `${euros(told.discount_cents)} off`;
  } catch (error) {
    note.textContent = error.status === 404 ? "Nobody knows this code" : "That did not work";
    if (error.status >= 500) Sentry.captureException(error, { extra: { code } });
  }
}

document.getElementById("coupon")?.addEventListener("submit", applyCoupon);
document.getElementById("loyalty")?.addEventListener("click", applyLoyalty);
