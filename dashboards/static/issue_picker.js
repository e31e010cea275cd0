"use strict";
// A field that names an issue: by its id, by its address, or by words of its title that a list completes.
(() => {
  const { ask } = window.errata;
  const ID = /(?:^|[^0-9a-f])([0-9a-f]{16})(?:$|[^0-9a-f])/;
  const OTHER = "Choose an issue from the list, or paste its URL or ID.";

  const idIn = (text) => ID.exec(text.trim())?.[1] || "";
  const offer = async (input, list) => {
    const words = input.value.replace(/["\\:]/g, " ").trim();
    if (words.length < 2 || idIn(input.value)) return;
    const query = new URLSearchParams({ query: words, period: "90d", limit: "8" });
    try {
      const { issues } = await (await ask(`${input.dataset.issuePicker}?${query}`)).json();
      list.replaceChildren(...issues.filter(({ id }) => id !== input.dataset.except).map((issue) => {
        const option = new Option(`${issue.title} · ${issue.culprit}`, issue.id);
        option.label = option.text;
        return option;
      }));
    } catch { /* what is typed may be no search yet */ }
  };

  for (const input of document.querySelectorAll("[data-issue-picker]")) {
    const list = document.getElementById(input.getAttribute("list"));
    let waiting = 0;
    input.addEventListener("input", () => {
      input.setCustomValidity(!input.value || idIn(input.value) ? "" : OTHER);
      clearTimeout(waiting);
      waiting = setTimeout(() => offer(input, list), 250);
    });
  }
  window.errata.issueNamed = (input) => idIn(input.value);
})();
