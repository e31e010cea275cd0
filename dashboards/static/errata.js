"use strict";
// What pages do beyond links and forms. Every page also works without this file, but for its buttons.
(() => {
  const root = document.documentElement;
  const find = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => Array.from(within.querySelectorAll(selector));

  // `undo`: what a button beside the words does, where there is a way back.
  const toast = (words, undo = null) => {
    const box = find("[data-toast]");
    if (!box) return;
    leaveToast();
    box.textContent = words;
    if (undo) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "toast-undo";
      button.dataset.undo = "";
      button.textContent = "Undo";
      button.addEventListener("click", () => { leaveToast(); box.hidden = true; undo(); });
      box.append(" ", button);
    }
    box.hidden = false;
    const hideSoon = () => {
      clearTimeout(toast.timer);
      toast.timer = setTimeout(() => { if (box.contains(document.activeElement)) hideSoon(); else box.hidden = true; }, undo ? 12000 : 5000);
    };
    hideSoon();
  };
  // Whoever came to its button by Tab goes back to where that was.
  let beforeToast = null;
  document.addEventListener("focusin", (event) => { if (!event.target.closest("[data-toast]")) beforeToast = event.target; });
  const leaveToast = () => {
    if (!find("[data-toast]").contains(document.activeElement)) return;
    if (beforeToast?.isConnected) beforeToast.focus({ preventScroll: true }); else find("#main").focus({ preventScroll: true });
  };

  const ask = async (path, options = {}) => {
    const token = find('meta[name="csrf-token"]');
    const response = await fetch(path, {
      credentials: "same-origin",
      ...options,
      headers: { "X-CSRF-Token": token ? token.content : "", ...(options.headers || {}) },
    });
    if (response.ok) return response;
    let message = `The server responded with ${response.status}. Try again.`;
    try { message = (await response.json()).message || message; } catch { /* not JSON: the status says enough */ }
    throw new Error(message);
  };

  /* Times */
  const STEPS = [[60, 1, "s"], [3600, 60, "min"], [86400, 3600, "h"], [1209600, 86400, "d"], [5443200, 604800, "wk"]];
  const relative = (moment, now) => {
    const seconds = Math.abs(now - moment) / 1000;
    if (seconds < 5) return "just now";
    for (const [limit, unit, name] of STEPS) {
      if (seconds < limit) {
        const words = `${Math.floor(seconds / unit)} ${name}`;
        return moment > now ? `in ${words}` : `${words} ago`;
      }
    }
    return null;
  };
  const zoned = new Intl.DateTimeFormat(undefined, {
    weekday: "short", day: "numeric", month: "short", year: "numeric",
    hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, timeZoneName: "longOffset",
  });
  const refreshTimes = () => {
    const now = Date.now();
    for (const element of all("time[datetime]")) {
      const moment = Date.parse(element.dateTime);
      if (Number.isNaN(moment)) continue;
      if (!element.dataset.zoned) {
        element.dataset.zoned = "yes";
        element.title = `${element.title}\n${zoned.format(moment)}`;
      }
      if (!("relative" in element.dataset)) continue;
      const words = relative(moment, now);
      if (words && words !== element.textContent) element.textContent = words;
    }
  };

  /* Light and dark */
  const THEMES = ["auto", "light", "dark"];
  const setUpTheme = () => {
    const button = find("[data-theme-toggle]");
    if (!button) return;
    button.hidden = false;
    const show = (theme) => {
      find("[data-theme-name]", button).textContent = theme[0].toUpperCase() + theme.slice(1);
      button.setAttribute("aria-label", `Colors: ${theme}. Change`);
    };
    show(root.dataset.theme || "auto");
    button.addEventListener("click", () => {
      const theme = THEMES[(THEMES.indexOf(root.dataset.theme || "auto") + 1) % THEMES.length];
      if (theme === "auto") delete root.dataset.theme; else root.dataset.theme = theme;
      document.cookie = `errata_theme=${theme}; path=/; max-age=31536000; samesite=lax`;
      show(theme);
      document.dispatchEvent(new CustomEvent("themechange"));
    });
  };

  /* Menus close on Escape and on a click elsewhere */
  const setUpMenus = () => {
    document.addEventListener("click", (event) => {
      for (const menu of all("details[data-menu][open]")) if (!menu.contains(event.target)) menu.open = false;
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      for (const menu of all("details[data-menu][open]")) {
        menu.open = false;
        find("summary", menu).focus();
        // It leads nowhere else now.
        event.preventDefault();
      }
    });
  };

  /* Buttons that change something */
  const setUpActions = () => {
    document.addEventListener("click", async (event) => {
      const button = event.target.closest("[data-action]");
      if (button) {
        button.disabled = true;
        try {
          await ask(button.dataset.action, { method: "POST" });
          await refreshNow();
        } catch (error) {
          toast(error.message);
          button.disabled = false;
        }
      }
    });
  };

  const setUpCopies = () => {
    for (const button of all("[data-copy]")) {
      button.hidden = false;
      button.addEventListener("click", async () => {
        const text = find(button.dataset.copy).textContent;
        try { await navigator.clipboard.writeText(text); } catch { copyOldWay(text); }
        toast("Copied.");
      });
    }
  };
  // The clipboard API exists only on https and loopback.
  const copyOldWay = (text) => {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  };

  const setUpLinks = () => {
    for (const button of all("[data-copy-link]")) {
      button.hidden = false;
      button.addEventListener("click", async () => {
        const link = new URL(button.dataset.copyLink, location.href).href;
        try { await navigator.clipboard.writeText(link); } catch { copyOldWay(link); }
        toast("Link copied.");
      });
    }
  };

  const setUpUnfold = () => {
    for (const button of all("[data-unfold]")) {
      button.hidden = false;
      const within = find(button.dataset.unfold);
      const before = all("details", within).map((details) => [details, details.open]);
      button.addEventListener("click", () => {
        const opens = button.getAttribute("aria-pressed") !== "true";
        for (const [details, wasOpen] of before) if (details.matches(".frame, .folded")) details.open = opens || wasOpen;
        button.setAttribute("aria-pressed", String(opens));
        button.textContent = opens ? "Collapse frames" : "Show all frames";
      });
    }
  };

  const setUpBreadcrumbs = () => {
    const filter = find("[data-crumb-filter]");
    if (!filter) return;
    filter.hidden = false;
    const kind = find("[data-crumb-kind]", filter);
    const search = find("[data-crumb-search]", filter);
    const rows = all("#breadcrumbs tbody tr");
    const apply = () => {
      const words = search.value.trim().toLowerCase();
      let shown = 0;
      for (const row of rows) {
        const message = find("[data-message]", row).textContent.toLowerCase();
        row.hidden = (kind.value !== "" && row.dataset.kind !== kind.value) || !message.includes(words);
        if (!row.hidden) shown += 1;
      }
      find("[data-crumb-none]").hidden = shown > 0;
    };
    kind.addEventListener("change", apply);
    search.addEventListener("input", apply);
  };

  /* Filters: a choice applies at once; typed words with Enter. Empty fields stay out of the address. */
  const setUpFilters = () => {
    // Going back, browsers put the last choice into the fields; the address says which view this is.
    addEventListener("pageshow", () => { for (const form of all("form[data-filters]")) form.reset(); });
    for (const form of all("form[data-filters]")) {
      // The fields of an interval count only where they were changed, and not beside a new preset.
      const isRange = (name) => find(`.range-menu [name="${name}"]`, form) !== null;
      const hasNewRange = () => all(".range-menu input", form).some((field) => field.value !== field.defaultValue);
      const go = (submitter = null) => {
        document.dispatchEvent(new CustomEvent("searchstart", { detail: form }));
        const query = new URLSearchParams();
        const withRange = submitter?.name === "custom" && hasNewRange();
        for (const [name, value] of new FormData(form, submitter)) if (withRange || !isRange(name)) if (value !== "" && value !== form.dataset[name]) query.append(name, value);
        const words = query.toString();
        location.assign(words ? `${form.action.split("?")[0]}?${words}` : form.action.split("?")[0]);
      };
      form.addEventListener("submit", (event) => { event.preventDefault(); go(event.submitter); });
      form.addEventListener("change", (event) => { if (event.target.matches("select")) go(); });
      for (const button of all("[data-apply]", form)) button.classList.add("visually-hidden");
    }
  };

  /* Live parts: the same page is asked for again; parts marked data-live are exchanged where they differ. */
  let tag = null;
  const isBusy = (part) => {
    const selection = getSelection();
    const canWait = find("[data-offer]") !== null;
    return (canWait && part.contains(document.activeElement)) || (!selection.isCollapsed && part.contains(selection.anchorNode));
  };
  const CONTROLS = "a[href], button, summary, input, select, textarea";
  const controls = (part) => all(CONTROLS, part).filter((control) => control.checkVisibility());
  const nameOf = (control) => [
    control.getAttribute("href"), control.dataset.action, control.dataset.act, control.dataset.forSeconds, control.id,
    control.type === "checkbox" ? control.value : control.ariaLabel || control.textContent.trim(),
  ].join(" ");
  // An open menu and a half-filled form are not taken away, nor what opened a dialog: the next refresh asks again.
  const isBeingUsed = (part) => find("details[data-menu][open]", part) !== null || find("dialog[open]") !== null
    || (part.contains(document.activeElement) && document.activeElement.matches("input:not([type=checkbox]), textarea, select"));
  const exchange = (part, fresh) => {
    const top = part.getBoundingClientRect().top;
    const focused = part.contains(document.activeElement) ? document.activeElement : null;
    const place = controls(part).indexOf(focused);
    const isFirst = find("[data-onboarding]", part) !== null;
    part.replaceChildren(...document.adoptNode(fresh).childNodes);
    if (fresh.dataset.version) part.dataset.version = fresh.dataset.version;
    scrollBy(0, part.getBoundingClientRect().top - top);
    if (focused) {
      // What is gone leaves the focus to what stands in its place.
      const shown = controls(part);
      const same = shown.find((control) => nameOf(control) === nameOf(focused));
      // A focus that a person did not put into the first list would hold its refreshes back.
      const near = isFirst ? null : shown[Math.min(Math.max(0, place), shown.length - 1)];
      (same || near || find("#main")).focus({ preventScroll: true });
    }
    refreshTimes();
    document.dispatchEvent(new CustomEvent("partchange", { detail: part }));
  };
  // A part that was sent in pieces tells its state at its end.
  const stateOf = (part) => part.dataset.version || find("template[data-state]", part)?.dataset.state;
  let latest = 0;
  let forcedCount = 0;
  const refreshNow = async () => {
    forcedCount += 1;
    try { await refresh(true); } finally { forcedCount -= 1; }
  };
  const refresh = async (isForced = false) => {
    const own = ++latest;
    const pinned = find("[data-refresh]");
    const response = await fetch((pinned && pinned.dataset.refresh) || location.href, {
      credentials: "same-origin",
      headers: { "X-Errata-Refresh": "1", ...(tag && !isForced ? { "If-None-Match": tag } : {}) },
    });
    // An answer that was asked for before a later one may show a state that is over.
    if (own !== latest) return;
    if (response.status === 304) {
      markFresh();
      return;
    }
    if (!response.ok || response.redirected) throw new Error(String(response.status));
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    if (own !== latest) return;
    tag = response.headers.get("ETag");
    for (const part of all("[data-live]")) {
      const other = find(`[data-live="${part.dataset.live}"]`, fresh);
      if (!other || (stateOf(other) && stateOf(other) === stateOf(part))) continue;
      // Whoever follows the steps to a first event waits for nothing else.
      const isAwaited = isForced || find("[data-onboarding]", part) !== null;
      if (!isAwaited && isBeingUsed(part)) tag = null;
      else if (!isAwaited && isBusy(part)) offer(part, other);
      else exchange(part, other);
    }
  };
  // Asked just now and unchanged: that is as good as new.
  const markFresh = () => {
    for (const element of all("[data-as-of-now] time")) {
      const now = new Date();
      element.dateTime = now.toISOString();
      element.title = zoned.format(now);
    }
    refreshTimes();
  };
  // Whoever is reading or pressing Tab there decides when it moves.
  const offer = (part, fresh) => {
    const box = find("[data-offer]");
    if (!box) return;
    box.hidden = false;
    find("button", box).onclick = () => { box.hidden = true; exchange(part, fresh); };
  };
  const setUpLive = () => {
    const polled = find("[data-live][data-poll]");
    if (!polled) return;
    const every = Number(polled.dataset.poll) * 1000;
    let failures = 0;
    const mark = (isPaused) => {
      for (const line of all("[data-live-line]")) {
        line.classList.toggle("is-paused", isPaused);
        find("[data-live-word]", line).textContent = isPaused ? "offline" : "live";
      }
    };
    const turn = async () => {
      if (!document.hidden && !forcedCount) {
        try {
          await refresh();
          failures = 0;
        } catch { failures += 1; }
        mark(failures > 1);
      }
      setTimeout(turn, every * Math.min(8, 2 ** failures));
    };
    setTimeout(turn, every);
  };

  // What the other files of a page need.
  window.errata = { ask, toast, refreshNow, refreshTimes };

  // On a narrow screen the lines of tabs move sideways: to where one is.
  for (const section of all(":is(.tabs, .side-nav) a[aria-current=page]")) {
    const line = section.closest("nav");
    if (line.scrollWidth > line.clientWidth) line.scrollLeft = section.offsetLeft - line.offsetLeft - (line.clientWidth - section.offsetWidth) / 2;
  }

  setUpTheme();
  setUpMenus();
  setUpActions();
  setUpCopies();
  setUpLinks();
  setUpUnfold();
  setUpBreadcrumbs();
  setUpFilters();
  setUpLive();
  refreshTimes();
  setInterval(refreshTimes, 5000);
})();
