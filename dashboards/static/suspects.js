"use strict";
// Suspect commits come after the page of the issue.
(() => {
  const { ask, refreshTimes } = window.errata;
  const card = document.querySelector("[data-suspects]");
  if (!card) return;
  const body = card.querySelector("[data-suspects-body]");
  card.hidden = false;
  (async () => {
    try {
      const response = await ask(card.dataset.suspects);
      const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
      body.replaceChildren(...document.adoptNode(fresh.body).childNodes);
      refreshTimes();
    } catch (error) {
      body.textContent = error.message;
    } finally { body.removeAttribute("aria-busy"); }
  })();
})();
