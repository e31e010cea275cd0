"use strict";
// Sending a first event: one way at a time, and commands with the keys that this browser knows.
(() => {
  const root = document.querySelector("[data-onboarding]");
  if (!root) return;
  const named = { "app-key": `errata.app_key.${root.dataset.onboarding}`, "api-key": "errata.api_key" };
  const remember = (name, value) => { try { sessionStorage.setItem(named[name], value); } catch { /* Not allowed to. */ } };
  const known = (name) => { try { return sessionStorage.getItem(named[name]) || ""; } catch { return ""; } };

  const texts = [...root.querySelectorAll(".snippet pre")].map((pre) => [pre, pre.textContent]);
  const fields = [...root.querySelectorAll("[data-fills]")];
  const fill = () => {
    for (const [pre, text] of texts) {
      pre.textContent = fields.reduce(
        (filled, field) => filled.replaceAll(field.placeholder, field.value.trim() || field.placeholder), text);
    }
  };
  for (const field of fields) {
    field.value = known(field.dataset.fills);
    field.addEventListener("input", () => { remember(field.dataset.fills, field.value.trim()); fill(); });
  }
  fill();

  const sections = [...root.querySelectorAll("[data-choice]")];
  const bar = document.createElement("div");
  bar.className = "tabs";
  bar.setAttribute("role", "tablist");
  bar.setAttribute("aria-label", "How to send events");
  const choose = (section) => {
    for (const [number, other] of sections.entries()) {
      other.hidden = other !== section;
      bar.children[number].setAttribute("aria-selected", String(other === section));
      bar.children[number].tabIndex = other === section ? 0 : -1;
    }
  };
  sections.forEach((section, number) => {
    section.id = `way-${number}`;
    section.setAttribute("role", "tabpanel");
    section.querySelector("h3").hidden = true;
    const tab = document.createElement("button");
    tab.type = "button";
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", section.id);
    tab.textContent = section.dataset.choice;
    tab.addEventListener("click", () => choose(section));
    bar.append(tab);
    section.setAttribute("aria-label", section.dataset.choice);
  });
  bar.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const place = sections.findIndex((section) => !section.hidden);
    const next = (place + step + sections.length) % sections.length;
    choose(sections[next]);
    bar.children[next].focus();
  });
  root.querySelector("[data-choices]").prepend(bar);
  choose(sections[0]);
})();
