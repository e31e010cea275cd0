(() => {
  const isMasked = !document.cookie.includes("masked=no");
  const choices = isMasked ? {} : { maskAllText: false, maskAllInputs: false, blockAllMedia: false };
  Sentry.init({
    dsn: "https://errata@errata.invalid/1",
    tunnel: "/tunnel",
    release: "orchard@1.0.0",
    environment: "production",
    integrations: [Sentry.browserTracingIntegration(), Sentry.replayIntegration(choices)],
    tracesSampleRate: 1,
    replaysSessionSampleRate: 1,
  });
})();
