const Raven = require("raven");

const [dsn, label] = process.argv.slice(2);
Raven.config(dsn, { release: "shop@1.0.0", environment: "test", name: "web-1" });

function price(cart) {
  return cart.discount.percent;
}

try {
  price({});
} catch (error) {
  error.message += ` (${label})`;
  Raven.captureException(error, (failure, eventId) => console.log(failure ?? eventId));
}
