"use strict";
// A drag across the timeline, a button or a key narrows it; a double-click takes it back, as on charts of time.
(() => {
  const table = document.getElementById("waterfall");
  const tools = document.getElementById("waterfall-zoom");
  if (!table || !tools) return;
  const STEPS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000, 300000, 900000, 3600000, 14400000];
  const MOST_TICKS = 7;
  const LEAST_MS = 5;
  const DRAG_PX = 4;
  const axis = table.querySelector(".wf-axis"), ticks = axis.innerHTML, endMs = Number(axis.dataset.endMs);
  const said = tools.querySelector("[role=status]");
  const rows = Array.from(table.tBodies[0].rows, (row) => {
    const [begin, width] = ["x", "width"].map((name) => parseFloat(row.querySelector(".wf-lane rect").getAttribute(name)));
    return { row, begin, end: begin + width };
  });
  // In percent of the load.
  const least = Math.min(100, Math.max(LEAST_MS / endMs * 100, .5));
  let from = 0, until = 100;

  const words = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2).replace(/\.?0+$/, "")} s`);
  const drawTicks = () => {
    const [begin, end] = [from, until].map((share) => share / 100 * endMs);
    const step = STEPS_MS.find((one) => (end - begin) / one <= MOST_TICKS) ?? STEPS_MS.at(-1);
    axis.replaceChildren();
    for (let at = Math.ceil(begin / step) * step; at <= end; at += step) {
      const left = (at - begin) / (end - begin) * 100;
      // One at the edge would be cut off.
      if (left > 94) break;
      const [line, text] = ["line", "text"].map((name) => document.createElementNS("http://www.w3.org/2000/svg", name));
      for (const [name, value] of [["x1", `${left}%`], ["x2", `${left}%`], ["y1", 13], ["y2", 18], ["class", "wf-tick"]]) line.setAttribute(name, value);
      for (const [name, value] of [["x", `${left}%`], ["y", 10], ["class", left < 4 ? "wf-first" : ""]]) text.setAttribute(name, value);
      text.textContent = words(at);
      axis.append(line, text);
    }
  };
  const show = (begin, end) => {
    const span = Math.min(100, Math.max(least, end - begin));
    from = Math.max(0, Math.min(100 - span, (begin + end - span) / 2));
    until = from + span;
    const isZoomed = span < 100;
    table.classList.toggle("is-zoomed", isZoomed);
    for (const [name, value] of [["width", 1e4 / span], ["left", -100 * from / span], ["from", from], ["rest", 100 - until]]) table.style.setProperty(`--wf-${name}`, `${value}%`);
    for (const one of rows) one.row.hidden = isZoomed && (one.end < from || one.begin > until);
    if (isZoomed) drawTicks(); else axis.innerHTML = ticks;
    const shown = rows.filter((one) => !one.row.hidden).length;
    said.textContent = isZoomed ? `${words(from / 100 * endMs)} to ${words(until / 100 * endMs)}: ${shown} of ${rows.length} rows` : "";
    tools.querySelector("[data-zoom=in]").disabled = span <= least;
    for (const name of ["out", "whole"]) tools.querySelector(`[data-zoom=${name}]`).disabled = !isZoomed;
    tools.querySelector("[data-zoom=earlier]").disabled = from <= 0;
    tools.querySelector("[data-zoom=later]").disabled = until >= 100;
  };
  // Around the bar of the row that has the focus, if it is in sight.
  const middle = () => {
    const one = rows.find(({ row }) => row.contains(document.activeElement));
    const center = one ? (Math.max(one.begin, from) + Math.min(one.end, until)) / 2 : NaN;
    return center >= from && center <= until ? center : (from + until) / 2;
  };
  const around = (center, span) => show(center - span / 2, center + span / 2);
  const moves = {
    in: () => around(middle(), (until - from) / 2),
    out: () => around((from + until) / 2, (until - from) * 2),
    earlier: () => show(from - (until - from) / 2, from + (until - from) / 2),
    later: () => show(until - (until - from) / 2, until + (until - from) / 2),
    whole: () => show(0, 100),
  };
  tools.addEventListener("click", (event) => { moves[event.target.closest("[data-zoom]")?.dataset.zoom]?.(); });
  for (const [keys, text, move] of [[["+", "="], "Zoom in", "in"], ["-", "Zoom out", "out"], ["[", "Earlier", "earlier"], ["]", "Later", "later"], ["0", "Whole load", "whole"]]) {
    window.errata.keys.add(keys, text, moves[move], { group: "Waterfall" });
  }

  const brush = document.createElement("div");
  brush.className = "wf-brush";
  brush.hidden = true;
  table.after(brush);
  let begun = null;
  const place = (x) => {
    const box = axis.getBoundingClientRect();
    return Math.max(0, Math.min(1, (x - box.left) / box.width));
  };
  const draw = (one, other) => {
    const box = axis.getBoundingClientRect(), body = table.tBodies[0].getBoundingClientRect(), frame = brush.offsetParent.getBoundingClientRect();
    for (const [name, value] of [
      ["left", box.left - frame.left + Math.min(one, other) * box.width], ["width", Math.abs(other - one) * box.width],
      ["top", body.top - frame.top], ["height", body.height],
    ]) brush.style[name] = `${value}px`;
  };
  const drop = () => { begun = null; brush.hidden = true; };
  // A finger that drags scrolls the page.
  table.addEventListener("pointerdown", (event) => {
    if (event.button === 0 && event.pointerType !== "touch" && event.target.closest(".wf-time")) begun = event.clientX;
  });
  table.addEventListener("pointermove", (event) => {
    if (begun === null || (brush.hidden && Math.abs(event.clientX - begun) < DRAG_PX)) return;
    if (brush.hidden) table.setPointerCapture(event.pointerId);
    brush.hidden = false;
    draw(place(begun), place(event.clientX));
  });
  table.addEventListener("pointerup", (event) => {
    const [one, other] = [place(begun ?? 0), place(event.clientX)].sort((left, right) => left - right);
    const isDragged = begun !== null && !brush.hidden;
    drop();
    if (isDragged) show(from + one * (until - from), from + other * (until - from));
  });
  table.addEventListener("pointercancel", drop);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") drop(); });
  table.addEventListener("dblclick", (event) => { if (event.target.closest(".wf-time")) moves.whole(); });
  tools.hidden = false;
  show(0, 100);
})();
