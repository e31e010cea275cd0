"use strict";
// The `?` beside a heading opens its part of the documentation beside the page. Without scripts, or where it isn't found, it is a link.
(() => {
  const make = (name, properties = {}, attributes = {}) => {
    const element = Object.assign(document.createElement(name), properties);
    Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
    return element;
  };
  const dialog = make("dialog", { className: "help-panel" }, { "aria-labelledby": "help-title" });
  const title = make("h2", { id: "help-title" });
  const whole = make("a", { textContent: "Open page" });
  const close = make("button", { type: "button", className: "button small", textContent: "Close" });
  const head = make("div", { className: "help-head" });
  const body = make("div", { className: "prose" });
  head.append(title, whole, close);
  dialog.append(head, body);
  close.addEventListener("click", () => dialog.close());
  // A click beside it.
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });

  const addStyle = (fresh) => new Promise((resolve) => {
    const style = fresh.querySelector('link[href*="documentation.css"]');
    const address = style.getAttribute("href");
    if (document.querySelector(`link[href="${address}"]`)) { resolve(); return; }
    document.head.append(make("link", { rel: "stylesheet", href: address, onload: resolve, onerror: resolve }));
  });
  // Names of its parts could be those of parts of this page, and its links are meant from there.
  const adopt = (section, address) => {
    const copy = document.importNode(section, true);
    copy.removeAttribute("aria-labelledby");
    for (const link of copy.querySelectorAll("a")) link.href = new URL(link.getAttribute("href"), address).href;
    for (const named of copy.querySelectorAll("[id], [aria-labelledby]")) { named.removeAttribute("id"); named.removeAttribute("aria-labelledby"); }
    copy.querySelector("h1, h2, h3, h4").remove();
    return copy;
  };
  const open = async (address) => {
    const response = await fetch(address, { credentials: "same-origin" });
    if (!response.ok) throw new Error(String(response.status));
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    const anchor = decodeURIComponent(new URL(address).hash.slice(1));
    const heading = anchor ? fresh.getElementById(anchor) : fresh.querySelector(".prose h1");
    await addStyle(fresh);
    title.textContent = heading.textContent;
    whole.href = address;
    body.replaceChildren(adopt(heading.closest("section"), address));
    if (!dialog.isConnected) document.body.append(dialog);
    dialog.showModal();
    dialog.scrollTop = 0;
  };
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[data-help]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    try { await open(link.href); } catch { location.assign(link.href); }
  });
})();
