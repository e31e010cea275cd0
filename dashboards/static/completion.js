"use strict";
// Completion in the search box: an ARIA combobox over what the service suggests for the place of the cursor.
(() => {
  const frame = document.querySelector("[data-completion]");
  if (!frame) return;
  const input = frame.querySelector("input");
  const list = document.createElement("ul");
  list.id = "completion";
  list.className = "completion";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Suggestions");
  list.hidden = true;
  frame.append(list);
  const status = document.createElement("p");
  status.className = "visually-hidden";
  status.setAttribute("role", "status");
  frame.append(status);
  Object.entries({
    role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": "completion", "aria-haspopup": "listbox",
  }).forEach(([name, value]) => input.setAttribute(name, value));

  let found = null;
  let active = -1;
  let timer = 0;
  let latest = 0;

  const close = () => {
    latest += 1;
    clearTimeout(timer);
    list.hidden = true;
    active = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const mark = (number) => {
    const options = Array.from(list.children);
    active = number;
    options.forEach((option, place) => option.setAttribute("aria-selected", String(place === number)));
    if (number < 0) input.removeAttribute("aria-activedescendant");
    else {
      input.setAttribute("aria-activedescendant", options[number].id);
      options[number].scrollIntoView({ block: "nearest" });
    }
  };
  const count = new Intl.NumberFormat(undefined, { notation: "compact" });
  const show = () => {
    list.replaceChildren(...found.suggestions.map((each, number) => {
      const option = document.createElement("li");
      option.id = `completion-${number}`;
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      const label = document.createElement("span");
      label.className = "completion-label";
      label.textContent = each.label;
      const detail = document.createElement("span");
      detail.className = "completion-detail";
      detail.textContent = each.event_count === null ? each.detail : `${each.detail} ${count.format(each.event_count)}`.trim();
      if (each.event_count !== null) detail.title = `${each.event_count} recent events`;
      option.append(label, " ", detail);
      // Before the box loses the focus.
      option.addEventListener("mousedown", (event) => { event.preventDefault(); take(number); });
      return option;
    }));
    const isEmpty = !found.suggestions.length;
    list.hidden = isEmpty;
    input.setAttribute("aria-expanded", String(!isEmpty));
    status.textContent = isEmpty ? "" : `${found.suggestions.length} suggestions`;
    mark(-1);
  };
  const take = (number) => {
    const chosen = found.suggestions[number];
    // The space after a term is there already.
    const rest = input.value.slice(found.end);
    const text = rest.startsWith(" ") ? chosen.text.trimEnd() : chosen.text;
    input.value = input.value.slice(0, found.start) + text + rest;
    const cursor = found.start + text.length;
    input.setSelectionRange(cursor, cursor);
    close();
    if (chosen.text.endsWith(":")) ask();
  };
  const ask = async () => {
    const own = ++latest;
    const query = new URLSearchParams({ query: input.value, cursor: String(input.selectionStart) });
    try {
      const response = await window.errata.ask(`${frame.dataset.completion}?${query}`);
      const answer = await response.json();
      if (own !== latest || document.activeElement !== input) return;
      found = answer;
      show();
    } catch { close(); }
  };
  const askSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(ask, 120);
  };

  input.addEventListener("input", askSoon);
  input.addEventListener("click", askSoon);
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    const isOpen = !list.hidden;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!isOpen) { ask(); return; }
      const last = list.children.length - 1;
      const step = event.key === "ArrowDown" ? active + 1 : active - 1;
      mark(step > last ? -1 : step < -1 ? last : step);
    } else if ((event.key === "Enter" || event.key === "Tab") && isOpen && active >= 0) {
      event.preventDefault();
      take(active);
    } else if (event.key === "Enter") {
      close();
    } else if (event.key === "Escape") {
      // A search box would be emptied.
      event.preventDefault();
      event.stopPropagation();
      if (isOpen) close(); else window.errata.keys.leaveSearch(input);
    } else if (["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key) && isOpen) askSoon();
  });
})();
