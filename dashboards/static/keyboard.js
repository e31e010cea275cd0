"use strict";
// Control by keyboard: one registry, from which the help (?) is made. A key without Ctrl does nothing while somebody types.
(() => {
  const bindings = [];
  const find = (selector, within = document) => within.querySelector(selector);
  const isTyping = (target) => target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]") !== null;
  const isShown = (element) => element && !element.disabled && element.offsetParent !== null;

  // `when`: only then the key is taken, and only then the help lists it.
  const add = (keys, words, run, { group = "Everywhere", when = () => true } = {}) => {
    bindings.push({ keys: [].concat(keys), words, run, group, when });
  };

  const isCommand = (event) => event.ctrlKey || event.metaKey;
  const nameOf = (event) => {
    if (isCommand(event)) return `ctrl+${event.key.toLowerCase()}`;
    if (event.key === "X" && event.shiftKey) return "shift+x";
    return event.key.length === 1 ? event.key : event.key.toLowerCase();
  };

  let begun = "";
  let begunTimer = 0;
  const onKey = (event) => {
    if (event.defaultPrevented || event.altKey || event.isComposing) return;
    if ((isTyping(event.target) && !isCommand(event)) || find("dialog[open]")) return;
    const name = nameOf(event);
    const whole = begun ? `${begun} ${name}` : name;
    begun = "";
    clearTimeout(begunTimer);
    // Enter and space belong to the control that has the focus.
    if (["enter", " "].includes(name) && event.target.closest("a, button, summary, input")) return;
    const binding = bindings.find((each) => each.keys.includes(whole) && each.when());
    if (binding) {
      event.preventDefault();
      binding.run(event);
    } else if (bindings.some((each) => each.when() && each.keys.some((keys) => keys.startsWith(`${whole} `)))) {
      begun = whole;
      begunTimer = setTimeout(() => { begun = ""; }, 1500);
    }
  };

  const commandKey = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl";
  const keyWords = (keys) => keys.split(" ").map((key) => key.split("+").map((part) => {
    const element = document.createElement("kbd");
    element.textContent = { arrowdown: "↓", arrowup: "↑", enter: "Enter", escape: "Esc", shift: "Shift", ctrl: commandKey }[part] || part;
    return element;
  }));

  const help = () => {
    find("dialog.keys")?.remove();
    const dialog = document.createElement("dialog");
    dialog.className = "keys";
    dialog.setAttribute("aria-labelledby", "keys-title");
    const title = document.createElement("h2");
    title.id = "keys-title";
    title.textContent = "Keyboard shortcuts";
    dialog.append(title);
    const groups = [...new Set(bindings.filter((each) => each.when()).map((each) => each.group))];
    for (const group of groups) {
      const heading = document.createElement("h3");
      heading.textContent = group;
      const list = document.createElement("dl");
      for (const binding of bindings.filter((each) => each.group === group && each.when())) {
        const keys = document.createElement("dt");
        binding.keys.forEach((each, number) => {
          if (number) keys.append(" or ");
          keyWords(each).forEach((parts, place) => {
            if (place) keys.append(" then ");
            parts.forEach((part, inner) => { if (inner) keys.append("+"); keys.append(part); });
          });
        });
        const words = document.createElement("dd");
        words.textContent = binding.words;
        list.append(keys, words);
      }
      dialog.append(heading, list);
    }
    const close = document.createElement("button");
    close.type = "button";
    close.className = "button";
    close.textContent = "Close";
    close.addEventListener("click", () => dialog.close());
    dialog.append(close);
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  };

  const click = (selector) => () => find(selector).click();
  const canClick = (selector) => () => isShown(find(selector));
  const goTo = (section) => {
    const selector = `.primary a[href$="/${section}"]`;
    return [() => find(selector).click(), { when: () => find(selector) !== null }];
  };

  add("?", "Show shortcuts", help);
  let beforeSearch = null;
  const leaveSearch = (box) => {
    if (beforeSearch?.isConnected && beforeSearch !== document.body) beforeSearch.focus(); else box.blur();
    beforeSearch = null;
  };
  add("/", "Search", () => {
    const box = find("input[data-main-search]");
    beforeSearch = document.activeElement;
    box.focus();
    box.select();
  },
    { when: () => find("input[data-main-search]") !== null });
  const overview = () => find('.primary > a[href^="/projects/"]');
  add("g o", "Go to overview", () => overview().click(), { when: () => overview() !== null });
  for (const [key, section, words] of [
    ["g i", "issues", "Go to issues"], ["g p", "performance", "Go to performance"],
    ["g u", "users", "Go to users"], ["g d", "delivery", "Go to delivery"], ["g a", "alerts", "Go to alerts"], ["g s", "settings", "Go to settings"],
  ]) {
    const [run, options] = goTo(section);
    add(key, words, run, options);
  }

  const onIssue = { group: "Issue" };
  // A choice inside a closed menu is taken as well.
  const actOf = (word) => `[data-live=head] [data-action$="/${word}"], [data-act='{"action": "${word}"}']`;
  const issueKeys = [
    ["j", "Next issue in the list", "[data-neighbor=next]"],
    ["k", "Previous issue in the list", "[data-neighbor=previous]"],
    [["[", "p"], "Older event", "[data-live=ways] a[rel=prev]"],
    [["]", "n"], "Newer event", "[data-live=ways] a[rel=next]"],
    [["e", "r"], "Resolve", actOf("resolve")],
    ["i", "Ignore for a time…", ".menu-ignore > summary"],
    ["u", "Unresolve", actOf("unresolve")],
    ["a", "Assign to me", "[data-act*='\"assign\"']"],
    ["escape", "Back to list", "[data-back-to-list]"],
  ];
  for (const [keys, words, selector] of issueKeys) {
    add(keys, words, () => find(selector).click(), { ...onIssue, when: () => find("[data-back-to-list]") !== null && find(selector) !== null && !find(selector).disabled });
  }
  add("z", "Undo last action", click("[data-toast] [data-undo]"), { when: canClick("[data-toast] [data-undo]") });

  document.addEventListener("keydown", onKey);
  window.errata.keys = { add, click, canClick, isShown, leaveSearch, commandKey };
})();
