"use strict";
// What a recording tells beside its pages: clicks, page changes, requests, console lines and errors, as entries
// { at, kind, title, text, tone, href }. Everything in it was sent by a browser: it becomes text and nothing else.
window.errata.replayEntries = (() => {
  const MAX_TEXT = 500;
  const RAGE_CLICKS = 3;
  const text = (value) => (typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value)).slice(0, MAX_TEXT);
  const number = (value) => (typeof value === "number" && Number.isFinite(value) ? value : null);
  const inMs = (timestamp) => (timestamp < 1e11 ? timestamp * 1000 : timestamp);

  function path(address) {
    try {
      const url = new URL(address);
      return url.pathname + (url.hash.length > 1 ? url.hash : "");
    } catch { return text(address); }
  }

  function breadcrumb(payload) {
    const data = payload.data ?? {};
    switch (payload.category) {
      case "ui.click": return { kind: "click", title: "Click", text: text(payload.message) };
      case "ui.multiClick": case "ui.slowClickDetected": {
        const count = number(data.clickCount) ?? 1;
        if (count >= RAGE_CLICKS) return { kind: "click", title: `Rage click (${count})`, text: text(payload.message), tone: "bad" };
        if (data.endReason === "timeout") return { kind: "click", title: "Dead click", text: text(payload.message), tone: "bad" };
        return { kind: "click", title: payload.category === "ui.multiClick" ? `${count} clicks` : "Slow click", text: text(payload.message) };
      }
      case "ui.input": return { kind: "click", title: "Input", text: text(payload.message) };
      case "ui.keyDown": return { kind: "click", title: "Key", text: text(payload.message) };
      case "console": return { kind: "console", title: `Console ${text(payload.level) || "log"}`, text: text(payload.message), tone: payload.level === "error" ? "bad" : payload.level === "warning" ? "warn" : "" };
      case "navigation": return { kind: "page", title: "Page", text: path(data.to) };
      default: return payload.category ? { kind: "click", title: text(payload.category), text: text(payload.message) } : null;
    }
  }

  function span(payload) {
    const op = text(payload.op), data = payload.data ?? {};
    if (op === "resource.fetch" || op === "resource.xhr") {
      const status = number(data.statusCode);
      const took = Math.round((inMs(payload.endTimestamp) - inMs(payload.startTimestamp)) || 0);
      const failed = status === 0 || status >= 400;
      return { kind: "network", title: `${text(data.method) || "GET"} ${status || "failed"}`, text: `${text(payload.description)} · ${took.toLocaleString("en")} ms`, tone: failed ? "bad" : "" };
    }
    if (op === "navigation.navigate" || op === "navigation.reload" || op === "navigation.back_forward") return { kind: "page", title: "Page load", text: path(payload.description) };
    return null;
  }

  // Of the events of a segment; `zero` is when the replay began, in ms by the browser's clock.
  function entriesOf(events, zero) {
    const found = [];
    for (const event of events) {
      const payload = event?.data?.payload;
      if (event?.type !== 5 || !payload || typeof payload !== "object") continue;
      const entry = event.data.tag === "breadcrumb" ? breadcrumb(payload) : event.data.tag === "performanceSpan" ? span(payload) : null;
      if (entry) found.push({ ...entry, at: Math.max(0, inMs(number(event.timestamp) ?? zero) - zero) });
    }
    return found;
  }

  return { entriesOf, inMs };
})();
