"use strict";
// The way back from an issue: to the list it was opened from, and by keyboard to its row.
(() => {
  const REMEMBERED = "errata.place";
  const read = () => {
    try { return JSON.parse(sessionStorage.getItem(REMEMBERED)) || {}; } catch { return {}; }
  };
  const write = (place) => {
    try { sessionStorage.setItem(REMEMBERED, JSON.stringify(place)); } catch { /* private windows */ }
  };
  const here = location.pathname + location.search;
  const place = read();

  const back = document.querySelector("[data-back-to-list]");
  if (back) {
    if (place.list && new URL(place.list, location.href).pathname === new URL(back.href).pathname) back.href = place.list;
    // The issue may be another than the one opened from the list. A click of a key has no detail.
    const issue = document.querySelector("[data-workflow]")?.dataset.issue;
    back.addEventListener("click", (event) => { write({ ...read(), issue, isByKey: event.detail === 0 }); });
    return;
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-issue-link]");
    if (link) write({ list: here, issue: link.closest("[data-issue]").dataset.issue });
  });
  if (place.isByKey && place.list === here) {
    const row = Array.from(document.querySelectorAll("[data-issue]")).find((each) => each.dataset.issue === place.issue);
    row?.querySelector("[data-issue-link]").focus();
  }
  write({ ...place, isByKey: false });
})();
