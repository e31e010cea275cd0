/* First on every page: whatever goes wrong after it is told. */
(() => {
  const page = document.currentScript.dataset;
  const attributes = { "sentry.source": "route" };
  Sentry.init({
    // No such host: everything goes through the shop's own /tunnel.
    dsn: "https://errata@errata.invalid/1",
    tunnel: "/tunnel",
    release: page.release,
    environment: page.environment,
    // Named by their route, so that all products are one page.
    integrations: [
      Sentry.browserTracingIntegration({ beforeStartSpan: (span) => ({ ...span, name: page.route, attributes: { ...span.attributes, ...attributes } }) }),
      // Nothing here is secret. A page that is left at once has a replay, too.
      Sentry.replayIntegration({ maskAllText: false, blockAllMedia: false, minReplayDuration: 0 }),
    ],
    replaysSessionSampleRate: 0,
    replaysOnErrorSampleRate: 1,
    tracesSampleRate: 1,
    tracePropagationTargets: [/^\/api\//],
    beforeSend: (event, { originalException }) =>
      originalException?.endpoint ? { ...event, fingerprint: ["{{ default }}", originalException.endpoint] } : event,
  });
  if (page.userId) {
    Sentry.setUser({ id: page.userId, username: page.userName, email: page.userEmail });
    Sentry.setTag("plan", page.plan);
  }
})();
