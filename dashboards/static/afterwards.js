"use strict";
// A page that is loaded again after an action says what was done, and the focus goes to where it was done.
(() => {
  const { ask, toast } = window.errata;
  const KEPT = "errata-afterwards";

  const afterwards = (words, focus, address = location.href) => {
    sessionStorage.setItem(KEPT, JSON.stringify({ words, focus }));
    if (new URL(address, location.href).href === location.href) location.reload(); else location.assign(address);
  };
  const kept = sessionStorage.getItem(KEPT);
  if (kept) {
    sessionStorage.removeItem(KEPT);
    const { words, focus } = JSON.parse(kept);
    const place = document.querySelector(focus);
    if (place) {
      place.tabIndex = -1;
      place.focus();
      // Charts and tools that scripts show above it push it down.
      addEventListener("load", () => place.scrollIntoView({ block: "nearest" }));
    }
    toast(words);
  }

  // Answers of the API; a body is JSON.
  const post = async (path, body, method = "POST") => {
    const json = body === undefined ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
    const response = await ask(path, { method, ...json });
    return response.status === 204 ? {} : response.json();
  };

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-post]");
    if (!button || button.disabled) return;
    button.disabled = true;
    toast("Working…");
    try {
      await post(button.dataset.post, button.dataset.body ? JSON.parse(button.dataset.body) : undefined);
      afterwards(button.dataset.done, button.dataset.focus, button.dataset.then);
    } catch (error) {
      toast(error.message);
      button.disabled = false;
    }
  });
  window.errata.afterwards = afterwards;
  window.errata.post = post;
})();
