(() => {
  const isMasked = !document.cookie.includes("masked=no");
  const choices = isMasked ? {} : { maskAllText: false, maskAllInputs: false, blockAllMedia: false };
  const spans = document.cookie.includes("patient=yes") ? { idleTimeout: 10000 } : {};
  Sentry.init({
    dsn: "https://errata@errata.invalid/1",
    tunnel: "/tunnel",
    release: "orchard@1.0.0",
    environment: "production",
    integrations: [Sentry.browserTracingIntegration(spans), Sentry.replayIntegration(choices)],
    tracesSampleRate: 1,
    replaysSessionSampleRate: 1,
  });
})();
