/* Asks before something is deleted, and says that a question is being looked into. */
"use strict";
document.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (!button) return;
  if (button.dataset.confirm && !window.confirm(button.dataset.confirm)) {
    event.preventDefault();
    return;
  }
  if (button.dataset.busy) {
    const words = event.target.querySelector("[data-busy-words]");
    if (words) words.textContent = button.dataset.busy;
    else button.textContent = button.dataset.busy;
    /* Only after the form was read: a disabled button would not be in it. */
    setTimeout(() => { button.disabled = true; });
  }
});
window.addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("[data-busy]")) button.disabled = false;
  for (const words of document.querySelectorAll("[data-busy-words]")) words.textContent = "";
});
