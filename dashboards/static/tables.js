"use strict";
// Tables as text for a spreadsheet, sorted by a column of what is shown, and long ones folded.
(() => {
  const words = (cell) => cell.dataset.value ?? cell.textContent.trim().replace(/\s+/g, " ");
  const asText = (table) => Array.from(table.rows, (row) => Array.from(row.cells, words).join("\t")).join("\n");

  const copy = async (text) => {
    try { await navigator.clipboard.writeText(text); } catch {
      // The clipboard API exists only on https and loopback.
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    window.errata.toast("Copied.");
  };
  const show = () => { for (const button of document.querySelectorAll("[data-copy-table]")) button.hidden = false; };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy-table]");
    if (button) copy(asText(document.querySelector(button.dataset.copyTable)));
  });

  // Cells say what they are worth in data-value; what is not known comes last either way.
  const order = (one, other) => {
    const numbers = [Number(one), Number(other)];
    return numbers.some(Number.isNaN) ? one.localeCompare(other) : numbers[0] - numbers[1];
  };
  const sort = (table, heading) => {
    const column = heading.cellIndex;
    const isDown = heading.ariaSort !== "descending";
    const value = (row) => words(row.cells[column]);
    const rows = Array.from(table.tBodies[0].rows);
    const known = rows.filter((row) => value(row) !== "" && value(row) !== "–");
    const unknown = rows.filter((row) => !known.includes(row));
    known.sort((one, other) => order(value(one), value(other)) * (isDown ? -1 : 1));
    table.tBodies[0].append(...known, ...unknown);
    for (const cell of table.tHead.rows[0].cells) cell.removeAttribute("aria-sort");
    heading.ariaSort = isDown ? "descending" : "ascending";
  };
  const setUp = () => {
    show();
    for (const heading of document.querySelectorAll("table[data-sortable] thead th")) {
      if (heading.querySelector("button, a") || !heading.textContent.trim()) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sorts";
      button.append(...heading.childNodes);
      heading.append(button);
    }
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("table[data-sortable] thead button.sorts");
    if (button) sort(button.closest("table"), button.closest("th"));
  });
  // A refresh of the page leaves a table as long as it was made.
  const unfolded = new Set();
  const fold = () => {
    for (const button of document.querySelectorAll("[data-unfold-table]")) {
      const name = button.dataset.unfoldTable;
      const isOpen = unfolded.has(name);
      button.hidden = false;
      button.textContent = isOpen ? "Show fewer" : button.dataset.words;
      button.setAttribute("aria-expanded", String(isOpen));
      document.querySelector(name).classList.toggle("is-folded", !isOpen);
    }
  };
  document.addEventListener("click", (event) => {
    const name = event.target.closest("[data-unfold-table]")?.dataset.unfoldTable;
    if (!name) return;
    if (!unfolded.delete(name)) unfolded.add(name);
    fold();
  });
  for (const act of [setUp, fold]) {
    document.addEventListener("partchange", act);
    act();
  }
})();
