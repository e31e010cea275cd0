"use strict";
// Keys of an event's page: each is named in the title of the link it follows.
(() => {
  const { keys } = window.errata;
  const linkOf = (key) => document.querySelector(`a[data-key="${key}"]`);
  for (const [key, words] of [
    ["v", "View the replay"], ["c", "Compare with another event"], ["g f", "First event"], ["g l", "Latest event"], ["g m", "Most detailed event"],
  ]) keys.add(key, words, () => linkOf(key).click(), { group: "Event", when: () => linkOf(key) !== null });
  // A choice of the menu is made: what it covers shows again.
  document.querySelector(".event-menu")?.addEventListener("click", (event) => {
    if (!event.target.closest("li button, li a")) return;
    event.currentTarget.open = false;
    event.currentTarget.querySelector("summary").focus();
  });
})();
