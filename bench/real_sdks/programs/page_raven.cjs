const Raven = require("raven-js");

const { label, dsn } = window.settings;
Raven.config(dsn, { release: "shop@1.0.0", environment: "test" });

function price(cart) {
  return cart.discount.percent;
}

window.fail = () =>
  new Promise((resolve) => {
    document.addEventListener("ravenSuccess", () => resolve(Raven.lastEventId()));
    try {
      price({});
    } catch (error) {
      error.message += ` (${label})`;
      Raven.captureException(error);
    }
  });
