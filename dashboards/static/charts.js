"use strict";
// Draws each figure of the page; redraws where colours or the figure change. A drag across a chart of time sets the
// period of the page, a double-click takes it back, and a click on a point leads to what it is made of.
(() => {
  // A finger has no pointer to look with: a tap shows the values there, and leads nowhere.
  const isTouch = () => matchMedia("(pointer: coarse)").matches;
  const CONFIG = { showSendToCloud: false, plotlyServerURL: "", topojsonURL: "", displaylogo: false, displayModeBar: false, responsive: true };
  const templates = JSON.parse(document.getElementById("chart-templates").textContent);

  const isDark = () => {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  };
  const draw = (box) => {
    const source = box.parentElement.querySelector("script[data-figure]");
    if (!source || !window.Plotly) return;
    const figure = JSON.parse(source.textContent);
    figure.layout.template = templates[isDark() ? "dark" : "light"];
    // What somebody has zoomed into stays while figures and colours change.
    figure.layout.uirevision = "kept";
    // A finger that drags scrolls the page.
    if (isTouch()) figure.layout.dragmode = false;
    delete box.dataset.labels;
    window.Plotly.react(box, figure.data, figure.layout, CONFIG);
    if (!box.dataset.isLabelled) {
      box.dataset.isLabelled = "yes";
      // After the first drawing the width of the plot is known; after each change of the window it is another.
      box.on("plotly_afterplot", () => label(box));
      label(box);
    }
    if (!box.dataset.isListening && figure.layout.meta?.step_ms) listen(box);
    if (!box.dataset.isLeading && figure.data.some((trace) => trace.customdata)) lead(box);
  };

  /* A point that has an address of its own leads there. */
  const lead = (box) => {
    box.dataset.isLeading = "yes";
    box.on("plotly_click", ({ points: [point] }) => {
      if (point?.customdata?.startsWith("/")) location.assign(point.customdata);
    });
  };

  /* Labels of marks stand in a band above the plot, a row for each kind, where its line begins. Of labels too near each
     other the latest is shown and counts the others; its hover names them all. */
  const ROW_PX = 15;
  const LABEL_PX = 10;
  const ROOM_PX = 6;
  const LEAST_SHARE = .4;
  const DOUBLE_TAP_MS = 500;
  const ORDER = ["release", "annotation", "change"];
  const SIGNS = { release: "", annotation: "✎ ", change: "" };
  const pen = document.createElement("canvas").getContext("2d");
  const labels = (box, layout) => {
    const drawn = box._fullLayout;
    const marks = layout.meta.marks;
    pen.font = `${LABEL_PX}px ${drawn.font.family}`;
    const width = drawn._size.w;
    const [begin, end] = layout.xaxis.range.map(number);
    const kinds = [...new Set(marks.map((mark) => mark.kind))].sort((one, other) => ORDER.indexOf(one) - ORDER.indexOf(other));
    return kinds.flatMap((kind, row) => {
      const shown = [];
      const own = marks.filter((mark) => mark.kind === kind).sort((one, other) => number(other.at) - number(one.at));
      for (const mark of own) {
        const at = (number(mark.at) - begin) / (end - begin) * width;
        const text = SIGNS[kind] + mark.label;
        const length = pen.measureText(`${text} +99`).width + ROOM_PX;
        // Near the right end of the chart it stands left of its line, and points to it: it begins beside an earlier one.
        const isBefore = at + 2 + length > width && at > length;
        const left = isBefore ? at - length : Math.max(0, Math.min(at + 2, width - length));
        const next = shown.at(-1);
        if (next && left + length > next.left) next.marks.unshift(mark);
        else shown.push({ text, left, isBefore, end: at, marks: [mark] });
      }
      return shown.map(({ text, left, isBefore, end, marks: together }) => ({
        x: 0, xref: "paper", xanchor: isBefore ? "right" : "left", xshift: isBefore ? end : left,
        y: 1, yref: "paper", yanchor: "top", yshift: -row * ROW_PX, showarrow: false,
        text: `${text}${together.length > 1 ? ` +${together.length - 1}` : ""}${isBefore ? " ▸" : ""}`,
        hovertext: together.map((mark) => mark.words).join("<br>"),
        font: { size: LABEL_PX },
      }));
    });
  };
  const label = (box) => {
    const { layout, _fullLayout: drawn } = box;
    if (!layout.meta?.marks) return;
    const annotations = labels(box, layout);
    const rows = new Set(layout.meta.marks.map((mark) => mark.kind)).size;
    const top = Math.max(LEAST_SHARE, 1 - rows * ROW_PX / drawn._size.h);
    const state = JSON.stringify([annotations, top]);
    if (state === box.dataset.labels) return;
    box.dataset.labels = state;
    // Another plot may stand below it.
    const bottom = layout.yaxis.domain ? layout.yaxis.domain[0] : 0;
    window.Plotly.relayout(box, { annotations, "yaxis.domain": [bottom, top] });
  };

  /* Moments of a chart are those of one offset, that of the zone that the page is shown in at the chart's end. */
  const BEFORE = "errata-range-before";
  const number = (moment) => Date.parse(`${String(moment).slice(0, 19).replace(" ", "T")}Z`.replace(/^(\d{4}-\d\d-\d\d)Z$/, "$1T00:00Z"));
  const written = (box, moment) => `${new Date(moment - box.layout.meta.offset_ms).toISOString().slice(0, 16)}Z`;
  const hasPeriod = () => document.querySelector('form[data-filters] select[name="period"]') !== null;
  const withRange = (box, address, since, until) => {
    const found = new URL(address, location.href);
    for (const name of ["period", "cursor"]) found.searchParams.delete(name);
    for (const [name, value] of [["from", written(box, since)], ["to", written(box, until)], ["custom", "1"]]) found.searchParams.set(name, value);
    return found;
  };
  // Whole steps: those that the two moments lie in.
  const steps = (box, first, last) => {
    const step = box.layout.meta.step_ms;
    const base = number(box.data[0].x[0]);
    return [base + Math.floor((first - base) / step) * step, base + Math.ceil((last - base) / step) * step];
  };
  // To the range before the last one that was brushed, or to the usual one.
  const back = () => {
    const before = sessionStorage.getItem(BEFORE);
    sessionStorage.removeItem(BEFORE);
    const whole = new URL(before ?? location.href, location.href);
    if (before === null || whole.pathname !== location.pathname) {
      whole.href = location.href;
      whole.searchParams.delete("period");
    }
    if (whole.href !== location.href) location.assign(whole);
  };
  const listen = (box) => {
    box.dataset.isListening = "yes";
    // A click waits for a second one. The browser counts clicks by when they were made, however busy the page is.
    let leaving = 0;
    let isDouble = false;
    let taps = [];
    box.addEventListener("pointerdown", (event) => { taps = [...taps, event.timeStamp].slice(-2); }, true);
    box.addEventListener("mousedown", (event) => {
      isDouble = event.detail === 2;
      if (!isDouble) return;
      clearTimeout(leaving);
      if (hasPeriod()) addEventListener("mouseup", back, { once: true, capture: true });
    }, true);
    box.on("plotly_click", ({ points: [point] }) => {
      if (!box.dataset.leads || !point || isDouble || isTouch()) return;
      const start = number(point.x);
      clearTimeout(leaving);
      leaving = setTimeout(() => location.assign(withRange(box, box.dataset.leads, ...steps(box, start, start + 1))), 350);
    });
    if (!hasPeriod()) return;
    box.on("plotly_relayout", (change) => {
      const [first, last] = [change["xaxis.range[0]"], change["xaxis.range[1]"]];
      if (!first || !last) return;
      sessionStorage.setItem(BEFORE, location.href);
      location.assign(withRange(box, location.href, ...steps(box, number(first), number(last))));
    });
    // Of two taps only plotly.js tells; of one tap, too, that a browser also tells as a click.
    box.on("plotly_doubleclick", () => {
      if (!isDouble && taps.length === 2 && taps[1] - taps[0] < DOUBLE_TAP_MS) back();
      return false;
    });
  };
  const drawAll = () => document.querySelectorAll("[data-chart]").forEach(draw);

  drawAll();
  document.addEventListener("themechange", drawAll);
  document.addEventListener("partchange", drawAll);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
})();
