"use strict";
// Draws each figure of the page; redraws where colours or the figure change.
(() => {
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
    if (matchMedia("(pointer: coarse)").matches) figure.layout.dragmode = false;
    window.Plotly.react(box, figure.data, figure.layout, CONFIG);
  };
  const drawAll = () => document.querySelectorAll("[data-chart]").forEach(draw);

  drawAll();
  document.addEventListener("themechange", drawAll);
  document.addEventListener("partchange", drawAll);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
})();
