"use strict";
// Plays a recording: fetches its segments, hands them to the player's document, and lists what happened.
(() => {
  const place = document.querySelector("[data-replay]");
  const find = (name) => place.querySelector(`[data-${name}]`);
  const frame = place.querySelector("iframe"), scale = place.querySelector(".replay-scale"), pointer = place.querySelector(".replay-pointer");
  const [play, now, marks, position, speed, skip, words, list] = ["play", "now", "marks", "position", "speed", "skip", "words", "entries"].map(find);
  const { entriesOf, inMs } = window.errata.replayEntries;
  const MOST_SHOWN = 1000, SHORT_MS = 10000;
  const SHOWN_KINDS = new Set(["error", "page"]);

  const base = place.dataset.base;
  const channel = new MessageChannel(), port = channel.port1;
  let length = Number(position.max), at = Number(place.dataset.at);
  let isPlaying = false, isReady = false, isOver = false, isDragged = false, size = { width: 1024, height: 640 };
  let entries = [], kind = "all", current = -1;

  const say = (what) => port.postMessage(what);
  const clock = (ms) => {
    const seconds = Math.floor(ms / 1000), hours = Math.floor(seconds / 3600), rest = String(seconds % 60).padStart(2, "0");
    const minutes = Math.floor((seconds % 3600) / 60);
    // In a recording of few seconds, all that happened would have the same time.
    const tenths = length < SHORT_MS ? `.${Math.floor(ms / 100) % 10}` : "";
    return (hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`) + tenths;
  };
  const tell = (text) => { words.textContent = text; words.hidden = !text; };
  const number = (value, most) => (typeof value === "number" && value >= 0 && value <= most ? value : null);

  // The player's document says numbers, and they are checked.
  const heard = {
    here() { load(); },
    ready({ totalTime }) {
      isReady = true;
      // What happened after the last change of the page belongs to it too.
      length = Math.max(number(totalTime, 1e9) ?? 0, 1);
      // A whole number of steps, or the control would not reach the last change.
      position.max = String(Math.ceil(length / position.step) * position.step);
      find("length").textContent = clock(length);
      for (const control of [play, position]) control.disabled = false;
      const opened = entries.find((entry) => entry.isOpened);
      tell(opened && opened.at > length ? "The error happened after the last change of the page that was recorded." : "");
      showEntries();
      showMarks();
      showTime(Math.min(at, length));
      place.dataset.state = "ready";
    },
    empty() { tell("The part of the recording that shows the page did not arrive: nothing can be played."); place.dataset.state = "empty"; },
    time({ ms }) {
      const value = number(ms, 1e9);
      if (value !== null && !isDragged && isPlaying) showTime(Math.min(value, length));
    },
    size({ width, height }) {
      size = { width: number(width, 20000) || 1024, height: number(height, 20000) || 640 };
      fit();
    },
    finished() { isOver = true; setPlaying(false); showTime(length); },
    skipping({ on }) { place.classList.toggle("is-skipping", on === 1); },
    pointer({ x, y, down }) {
      pointer.hidden = number(x, 20000) === null || number(y, 20000) === null;
      pointer.style.transform = `translate(${Number(x)}px, ${Number(y)}px)`;
      pointer.classList.toggle("is-down", down === 1);
    },
    missing({ count }) {
      const missed = number(count, 1e5) ?? 0, line = find("missing");
      line.hidden = missed === 0;
      line.textContent = `${missed === 1 ? "1 image or style sheet was" : `${missed.toLocaleString("en")} images or style sheets were`} not recorded and can't be shown: nothing is loaded from elsewhere.`;
    },
  };
  port.onmessage = ({ data }) => { if (data && Object.hasOwn(heard, data.is)) heard[data.is](data); };

  async function load() {
    const numbers = place.dataset.numbers.split(" ").filter(Boolean);
    let zero = null, failed = 0;
    for (const [index, one] of numbers.entries()) {
      tell(`Loading part ${index + 1} of ${numbers.length}…`);
      let text, events;
      try {
        const answer = await fetch(place.dataset.segments + one, { headers: { Accept: "application/json" } });
        if (!answer.ok) throw new Error(String(answer.status));
        text = await answer.text();
        events = JSON.parse(text);
      } catch {
        failed += 1;
        continue;
      }
      if (zero === null) {
        const shown = events.filter((event) => event.type !== 5).map((event) => inMs(event.timestamp));
        if (shown.length) zero = shown.reduce((least, value) => Math.min(least, value));
      }
      entries.push(...entriesOf(events, zero ?? Number(place.dataset.began)));
      say({ do: "events", text });
    }
    if (failed) window.errata.toast?.(`${failed} of ${numbers.length} parts could not be loaded.`);
    entries.push(...JSON.parse(place.dataset.errors).map((error) => ({
      at: Math.max(0, error.at), kind: "error", title: error.title, text: error.text, tone: "bad", isOpened: error.event === place.dataset.opened,
      href: error.issue ? `${base}/issues/${error.issue}?event=${error.event}` : "",
    })));
    entries.sort((one, other) => one.at - other.at);
    showEntries();
    say({ do: "start", at });
  }

  function fit() {
    const room = scale.parentElement.clientWidth, factor = Math.min(1, room / size.width, 640 / size.height);
    frame.width = size.width;
    frame.height = size.height;
    scale.style.width = `${size.width}px`;
    scale.style.height = `${size.height}px`;
    scale.style.transform = `scale(${factor})`;
    scale.style.marginLeft = `${Math.max(0, (room - size.width * factor) / 2)}px`;
    scale.parentElement.style.height = `${Math.round(size.height * factor)}px`;
  }

  function setPlaying(value) {
    isPlaying = value;
    play.setAttribute("aria-label", value ? "Pause" : "Play");
    place.dataset.state = value ? "playing" : "paused";
  }

  function toggle() {
    if (!isReady) return;
    if (!isPlaying && (isOver || at >= length)) at = 0;
    isOver = false;
    setPlaying(!isPlaying);
    say({ do: isPlaying ? "play" : "pause", at });
  }

  function seek(ms) {
    at = Math.max(0, Math.min(ms, length));
    isOver = false;
    showTime(at);
    if (isReady) say({ do: isPlaying ? "play" : "pause", at });
  }

  function showTime(ms) {
    at = ms;
    now.textContent = clock(ms);
    position.value = String(ms);
    position.setAttribute("aria-valuetext", clock(ms));
    const link = document.querySelector("[data-link-at]"), moment = document.querySelector("[data-at-now]");
    if (link) link.dataset.copyLink = `${base}/replays/${location.pathname.split("/").at(-1)}?at=${Math.round(ms)}`;
    if (moment) moment.value = String(Math.round(ms));
    markCurrent();
  }

  function showMarks() {
    const notable = entries.filter((entry) => entry.tone === "bad" || SHOWN_KINDS.has(entry.kind)).slice(0, MOST_SHOWN);
    marks.replaceChildren(...notable.map((entry) => {
      const mark = document.createElement("span");
      mark.className = `replay-mark mark-${entry.kind}${entry.tone ? ` is-${entry.tone}` : ""}`;
      mark.style.left = `${Math.min(100, (100 * entry.at) / length)}%`;
      return mark;
    }));
  }

  function showEntries() {
    const chosen = entries.filter((entry) => kind === "all" || entry.kind === kind);
    list.replaceChildren(...chosen.slice(0, MOST_SHOWN).map(item));
    find("shown").textContent = chosen.length > MOST_SHOWN ? `the first ${MOST_SHOWN.toLocaleString("en")} of ${chosen.length.toLocaleString("en")}` : chosen.length ? "" : "nothing was recorded";
    current = -1;
    markCurrent();
    // It starts seconds before the error that it was opened at, which may be far down.
    const opened = list.querySelector(".is-opened");
    if (opened) list.scrollTop = opened.offsetTop - list.clientHeight / 2;
  }

  function item(entry) {
    const line = document.createElement("li"), button = document.createElement("button");
    line.className = `replay-entry of-${entry.kind}${entry.tone ? ` is-${entry.tone}` : ""}${entry.isOpened ? " is-opened" : ""}`;
    line.dataset.at = String(entry.at);
    button.type = "button";
    const text = entry.isOpened ? `${entry.text} (opened from this event)`.trim() : entry.text;
    for (const [name, content] of [["entry-at", clock(entry.at)], ["entry-title", entry.title], ["entry-text", text]]) {
      const part = document.createElement("span");
      part.className = name;
      part.textContent = content;
      button.append(part, " ");
    }
    button.addEventListener("click", () => seek(entry.at));
    line.append(button);
    if (entry.href) {
      const link = document.createElement("a");
      link.href = entry.href;
      link.textContent = "Issue";
      link.className = "small";
      line.append(link);
    }
    return line;
  }

  function markCurrent() {
    const lines = list.children;
    let last = -1;
    for (let index = 0; index < lines.length && Number(lines[index].dataset.at) <= at + 50; index += 1) last = index;
    if (last === current) return;
    lines[current]?.removeAttribute("aria-current");
    current = last;
    const line = lines[last];
    if (!line) return;
    line.setAttribute("aria-current", "true");
    if (isPlaying) list.scrollTop = line.offsetTop - list.clientHeight / 2;
  }

  play.addEventListener("click", toggle);
  position.addEventListener("input", () => { isDragged = true; now.textContent = clock(Number(position.value)); });
  position.addEventListener("change", () => { isDragged = false; seek(Number(position.value)); });
  speed.addEventListener("change", () => say({ do: "speed", value: Number(speed.value) }));
  skip.addEventListener("change", () => say({ do: "skip", on: skip.checked }));
  for (const button of place.querySelectorAll("[data-kind]")) {
    button.addEventListener("click", () => {
      kind = button.dataset.kind;
      for (const other of place.querySelectorAll("[data-kind]")) other.setAttribute("aria-pressed", String(other === button));
      showEntries();
    });
  }
  window.addEventListener("resize", fit);
  tell("Loading…");
  fit();
  // Loaded from here, so that it is greeted once, when it has loaded.
  const greet = () => frame.contentWindow.postMessage("replay", "*", [channel.port2]);
  frame.addEventListener("load", greet, { once: true });
  frame.src = frame.dataset.player;
})();
