"use strict";
// Finding by name (Ctrl+K): an ARIA combobox in a dialog over what the service finds. Without scripts its link leads to the same as a page.
(() => {
  const link = document.querySelector("a[data-find]");
  if (!link) return;
  const WAIT_MS = 150;
  const LONGEST_MS = 10000;
  const kindWords = JSON.parse(link.dataset.kinds);
  const make = (name, properties = {}, attributes = {}) => {
    const element = Object.assign(document.createElement(name), properties);
    Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
    return element;
  };

  const dialog = make("dialog", { className: "find" }, { "aria-label": link.dataset.words });
  const input = make("input", { type: "text", autocomplete: "off", spellcheck: false, maxLength: 200, placeholder: link.dataset.words }, {
    role: "combobox", "aria-label": link.dataset.words, "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": "found", "aria-haspopup": "listbox",
  });
  const list = make("div", { id: "found", className: "found", hidden: true }, { role: "listbox", "aria-label": "Results" });
  const status = make("p", { className: "find-status" }, { role: "status" });
  dialog.append(input, list, status);

  let options = [];
  let active = -1;
  // The text that the results shown are of; null: none are.
  let shownText = null;
  let takesFirst = false;
  let timer = 0;
  let pending = null;

  const mark = (number) => {
    options[active]?.element.setAttribute("aria-selected", "false");
    active = number;
    const option = options[number];
    if (!option) { input.removeAttribute("aria-activedescendant"); return; }
    option.element.setAttribute("aria-selected", "true");
    input.setAttribute("aria-activedescendant", option.element.id);
    option.element.scrollIntoView({ block: "nearest" });
  };
  const take = (number, isApart = false) => {
    const option = options[number];
    if (!option) return;
    if (isApart) { window.open(option.address, "_blank", "noopener"); return; }
    dialog.close();
    location.assign(option.address);
  };
  const optionOf = (result) => {
    const number = options.length;
    const element = make("div", { id: `found-${number}` }, { role: "option", "aria-selected": "false" });
    element.append(make("span", { className: "found-title", textContent: result.title }));
    if (result.detail) element.append(" ", make("span", { className: "find-detail", textContent: result.detail }));
    element.addEventListener("mousedown", (event) => event.preventDefault());
    element.addEventListener("click", (event) => take(number, event.ctrlKey || event.metaKey));
    options.push({ element, address: result.address });
    return element;
  };
  const show = (text, results) => {
    options = [];
    active = -1;
    shownText = text;
    const kinds = [...new Set(results.map((result) => result.kind))];
    list.replaceChildren(...kinds.map((kind) => {
      const group = make("div", {}, { role: "group", "aria-labelledby": `found-${kind}` });
      group.append(make("div", { id: `found-${kind}`, className: "found-kind", textContent: kindWords[kind] }));
      group.append(...results.filter((result) => result.kind === kind).map(optionOf));
      return group;
    }));
    list.hidden = !options.length;
    list.scrollTop = 0;
    input.setAttribute("aria-expanded", String(options.length > 0));
    const named = results.filter((result) => result.kind !== "search").length;
    status.textContent = named ? `${named} ${named === 1 ? "result" : "results"}` : `Nothing is named “${text}”.`;
    mark(options.length ? 0 : -1);
    if (takesFirst && named) take(0);
    takesFirst = false;
  };
  const stop = () => {
    clearTimeout(timer);
    pending?.abort();
    pending = null;
  };
  const ask = async () => {
    stop();
    const own = pending = new AbortController();
    const text = input.value.trim();
    let isLate = false;
    const limit = setTimeout(() => { isLate = true; own.abort(); }, LONGEST_MS);
    try {
      const response = await window.errata.ask(`${link.dataset.find}?${new URLSearchParams({ text })}`, { signal: own.signal });
      const { results } = await response.json();
      if (own === pending) show(text, results);
    } catch (error) {
      if (own !== pending) return;
      takesFirst = false;
      status.textContent = isLate ? "This took too long. Press Enter to try again." : error.message;
      shownText = null;
    } finally { clearTimeout(limit); }
  };

  const open = () => {
    if (dialog.open) return;
    if (!dialog.isConnected) document.body.append(dialog);
    dialog.showModal();
    input.focus();
    input.select();
    ask();
  };
  dialog.addEventListener("close", () => { stop(); takesFirst = false; });
  // A click beside it.
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  input.addEventListener("input", () => {
    stop();
    takesFirst = false;
    timer = setTimeout(ask, WAIT_MS);
  });
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const last = options.length - 1;
    if (event.key === "ArrowDown") mark(active >= last ? 0 : active + 1);
    else if (event.key === "ArrowUp") mark(active <= 0 ? last : active - 1);
    else if (event.key === "Enter") {
      // Typed ahead of the results, it takes the first of them.
      if (shownText === input.value.trim()) take(active, event.ctrlKey || event.metaKey);
      else { takesFirst = true; ask(); }
    } else if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) dialog.close();
    else return;
    event.preventDefault();
  });

  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open();
  });
  const { add, commandKey } = window.errata.keys;
  const key = link.querySelector("kbd");
  key.textContent = commandKey === "⌘" ? "⌘K" : "Ctrl K";
  key.hidden = false;
  add("ctrl+k", link.dataset.words, open);
  add("/", link.dataset.words, open, { when: () => document.querySelector("input[data-main-search]") === null });
})();
