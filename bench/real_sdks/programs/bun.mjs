import * as Sentry from "@sentry/bun";

const [dsn, label] = process.argv.slice(2);
Sentry.init({ dsn, release: "shop@1.0.0", environment: "test", serverName: "web-1", tracesSampleRate: 1 });

function price(cart) {
  return cart.discount.percent;
}

let eventId;
Sentry.startSpan({ name: `nightly ${label}`, op: "task" }, () => {
  try {
    price({});
  } catch (error) {
    error.message += ` (${label})`;
    eventId = Sentry.captureException(error);
  }
});
await Sentry.flush(10_000);
console.log(eventId);
