"use strict";
// Keys of an event's page: each is named in the title of the link it follows.
(() => {
  let first = "";
  let timer = 0;
  const follow = (key) => {
    const link = document.querySelector(`a[data-key="${key}"]`);
    if (link) location.assign(link.href);
    return link !== null;
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.key.length !== 1) return;
    if (event.target.matches("input, textarea, select, [contenteditable]")) return;
    const pressed = /^[a-z]$/.test(event.key) ? event.key : "";
    if (!pressed) return;
    clearTimeout(timer);
    const isFollowed = follow(first ? `${first} ${pressed}` : pressed);
    first = !isFollowed && pressed === "g" ? "g" : "";
    timer = setTimeout(() => { first = ""; }, 1500);
    if (isFollowed) event.preventDefault();
  });
})();
