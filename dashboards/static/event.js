"use strict";
// Keys of an event's page: each is named in the title of the link it follows.
(() => {
  const { keys } = window.errata;
  const linkOf = (key) => document.querySelector(`a[data-key="${key}"]`);
  for (const [key, words] of [
    ["c", "Compare with another event"], ["g f", "First event"], ["g l", "Last event"], ["g m", "Most detailed event"],
  ]) keys.add(key, words, () => linkOf(key).click(), { group: "Event", when: () => linkOf(key) !== null });
})();
