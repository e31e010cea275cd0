"use strict";
// Shows recorded events in this very document, as the page around it says through a port. That page believes
// nothing but numbers of what is said here.
(() => {
  const SKIPPED_MS = 5000;
  const events = [];
  let port = null;
  let replayer = null;
  let saidMissing = 0;
  let last = "";

  window.addEventListener("message", (message) => {
    if (port || message.source !== window.parent || !message.ports[0]) return;
    port = message.ports[0];
    // Listeners of the window end with each recorded page; those of a port do not.
    port.onmessage = ({ data }) => { commands[data.do]?.(data); };
    say({ is: "here" });
  });

  function say(words) { port.postMessage(words); }

  const commands = {
    events({ text }) {
      for (const given of JSON.parse(text)) {
        const kept = harmless.event(given);
        if (kept) events.push(kept);
      }
    },
    // A still picture shows the last moment that is known, and tells no time.
    start({ at, isStill }) {
      events.sort((one, other) => one.timestamp - other.timestamp);
      const first = events.findIndex((event) => event.type === 2);
      if (first < 0) {
        say({ is: "empty" });
        return;
      }
      // Without a page to apply it to, a change is none.
      const before = events[first - 1]?.type === 4 ? first - 1 : first;
      const played = events.slice(before);
      if (played.length < 2) played.push({ type: 3, timestamp: played[0].timestamp + 1, data: { source: 0, texts: [], attributes: [], removes: [], adds: [] } });
      replayer = new rrweb.Replayer(played, {
        root: document.createElement("div"), mouseTail: false, showWarning: false, showDebug: false, UNSAFE_replayCanvas: false,
        skipInactive: true, inactivePeriodThreshold: SKIPPED_MS, triggerFocus: false,
        insertStyleRules: ["[data-not-recorded] { outline: 1px dashed #8a93a1 !important; outline-offset: -1px; }", "* { cursor: default !important; }"],
      });
      // The recorded page is shown here: a frame within this document would have an origin that nobody can reach.
      Object.defineProperties(replayer.iframe, { contentDocument: { get: () => document }, contentWindow: { get: () => window } });
      replayer.on("resize", ({ width, height }) => say({ is: "size", width, height }));
      replayer.on("finish", () => say({ is: "finished" }));
      replayer.on("skip-start", () => say({ is: "skipping", on: 1 }));
      replayer.on("skip-end", () => say({ is: "skipping", on: 0 }));
      replayer.on("fullsnapshot-rebuilded", tellMissing);
      new MutationObserver(tellPointer).observe(replayer.wrapper, { attributes: true, subtree: true, attributeFilter: ["style", "class"] });
      const { startTime, totalTime } = replayer.getMetaData();
      say({ is: "ready", startTime, totalTime });
      rest(isStill ? totalTime : at);
      if (!isStill) setInterval(tellTime, 100);
    },
    play({ at }) { replayer?.play(at); },
    pause({ at }) {
      if (!replayer) return;
      rest(at);
      tellTime();
    },
    speed({ value }) { replayer?.setConfig({ speed: value }); },
    skip({ on }) { replayer?.setConfig({ skipInactive: on }); },
  };

  // The page at a moment has what happened in its very millisecond; a replayer that rests has what happened before.
  function rest(at) { replayer.pause(Math.floor(at) + 1); }

  function tellTime() {
    say({ is: "time", ms: replayer.getCurrentTime() });
  }

  function tellMissing() {
    if (harmless.missing.size !== saidMissing) {
      saidMissing = harmless.missing.size;
      say({ is: "missing", count: saidMissing });
    }
  }

  function tellPointer() {
    const mouse = replayer.wrapper.querySelector(".replayer-mouse");
    if (!mouse) return;
    const x = parseFloat(mouse.style.left), y = parseFloat(mouse.style.top);
    const isDown = mouse.classList.contains("active") || mouse.classList.contains("touch-active");
    const now = `${x} ${y} ${isDown}`;
    if (now === last || Number.isNaN(x)) return;
    last = now;
    say({ is: "pointer", x, y, down: isDown ? 1 : 0 });
  }
})();
