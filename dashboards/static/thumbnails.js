"use strict";
// A picture of each replay in sight: its page at the end of the first part, still, in a frame of the player. The player's
// document says numbers, and they are checked.
(() => {
  const AT_ONCE = 2;
  const GIVE_UP_MS = 15000;
  const waiting = [];
  const stops = new Map();
  let loading = 0;

  const side = (value, usual) => (typeof value === "number" && value > 0 && value <= 20000 ? value : usual);
  const picture = (place) => new Promise((done, stop) => {
    stops.set(place, stop);
    setTimeout(stop, GIVE_UP_MS);
    const frame = document.createElement("iframe"), channel = new MessageChannel(), port = channel.port1;
    for (const [name, value] of [["sandbox", "allow-scripts"], ["referrerpolicy", "no-referrer"], ["tabindex", "-1"], ["width", 1024], ["height", 640]]) frame.setAttribute(name, value);
    const fit = ({ width, height }) => {
      frame.width = side(width, 1024);
      frame.height = side(height, 640);
      frame.style.transform = `scale(${place.clientWidth / frame.width})`;
    };
    const heard = {
      async here() {
        try {
          const answer = await fetch(place.dataset.thumb, { headers: { Accept: "application/json" } });
          if (!answer.ok) throw new Error(String(answer.status));
          port.postMessage({ do: "events", text: await answer.text() });
          port.postMessage({ do: "start", isStill: true });
        } catch (error) { stop(error); }
      },
      ready() { done(); },
      empty() { stop(); },
      size: fit,
    };
    port.onmessage = ({ data }) => { if (data && Object.hasOwn(heard, data.is)) heard[data.is](data); };
    frame.addEventListener("load", () => frame.contentWindow.postMessage("replay", "*", [channel.port2]), { once: true });
    frame.src = place.dataset.player;
    fit({});
    place.append(frame);
  });
  const clear = (place, state) => {
    place.dataset.state = state;
    place.querySelector("iframe")?.remove();
  };
  const next = async () => {
    if (loading >= AT_ONCE || !waiting.length) return;
    const place = waiting.shift();
    loading += 1;
    next();
    try {
      await picture(place);
      place.dataset.state = "ready";
    } catch { clear(place, "empty"); }
    loading -= 1;
    next();
  };
  // Out of sight, a frame costs memory for nothing.
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) waiting.push(target);
      else {
        if (waiting.includes(target)) waiting.splice(waiting.indexOf(target), 1);
        stops.get(target)?.();
        clear(target, "");
      }
    }
    next();
  }, { rootMargin: "150px" });
  const observe = () => {
    for (const [place, stop] of stops) if (!place.isConnected) { stop(); stops.delete(place); }
    for (const place of document.querySelectorAll("[data-thumb]")) observer.observe(place);
  };
  document.addEventListener("partchange", observe);
  observe();
})();
