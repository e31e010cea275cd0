import * as Sentry from "sentry-browser-8";

const { label, ...options } = window.settings;
const client = Sentry.init({
  release: "shop@1.0.0",
  environment: "test",
  tracesSampleRate: 1,
  replaysSessionSampleRate: 1,
  integrations: [Sentry.browserTracingIntegration(), Sentry.replayIntegration({ minReplayDuration: 0 })],
  ...options,
});

function price(cart) {
  return cart.discount.percent;
}

window.fail = async () => {
  let eventId;
  try {
    price({});
  } catch (error) {
    error.message += ` (${label})`;
    eventId = Sentry.captureException(error);
  }
  await Sentry.getReplay()?.flush();
  await client.flush(10_000);
  return eventId;
};
