"use strict";
// The issue list: choosing rows by mouse or keyboard, deciding about many at once, facets, saved searches.
(() => {
  const { ask, toast, refreshNow, keys } = window.errata;
  const find = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => Array.from(within.querySelectorAll(selector));
  const rows = () => all("tr[data-issue]");
  const boxOf = (row) => find("[data-pick]", row);
  const linkOf = (row) => find("[data-issue-link]", row);

  /* Choosing */
  const picked = new Set();
  let last = null;
  const bar = find("[data-bulk]");
  const showPicked = () => {
    const shown = rows();
    for (const row of shown) {
      const box = boxOf(row);
      box.hidden = false;
      box.checked = picked.has(row.dataset.issue);
      row.classList.toggle("is-picked", box.checked);
    }
    const everything = find("[data-pick-all]");
    if (everything) {
      const chosen = shown.filter((row) => picked.has(row.dataset.issue)).length;
      everything.hidden = false;
      everything.checked = shown.length > 0 && chosen === shown.length;
      everything.indeterminate = chosen > 0 && chosen < shown.length;
    }
    const isInBar = bar.contains(document.activeElement);
    bar.hidden = picked.size === 0;
    if (isInBar && bar.hidden) focusRow(Math.max(0, shown.findIndex((row) => row.dataset.issue === last)));
    document.body.classList.toggle("has-bulk", picked.size > 0);
    find("[data-bulk-words]", bar).textContent = `${picked.size} ${picked.size === 1 ? "issue" : "issues"} selected`;
    find('[data-bulk-action="merge"]', bar).disabled = picked.size < 2;
  };
  const pick = (row, isOn) => {
    if (isOn) picked.add(row.dataset.issue); else picked.delete(row.dataset.issue);
    last = row.dataset.issue;
    showPicked();
  };
  const pickRange = (row, isOn) => {
    const shown = rows();
    const from = shown.findIndex((each) => each.dataset.issue === last);
    const to = shown.indexOf(row);
    if (from < 0) { pick(row, isOn); return; }
    for (const each of shown.slice(Math.min(from, to), Math.max(from, to) + 1)) {
      if (isOn) picked.add(each.dataset.issue); else picked.delete(each.dataset.issue);
    }
    last = row.dataset.issue;
    showPicked();
  };
  document.addEventListener("click", (event) => {
    const box = event.target.closest("[data-pick]");
    if (box) {
      const row = box.closest("tr");
      if (event.shiftKey) pickRange(row, box.checked); else pick(row, box.checked);
    }
    const everything = event.target.closest("[data-pick-all]");
    if (everything) {
      for (const row of rows()) if (everything.checked) picked.add(row.dataset.issue); else picked.delete(row.dataset.issue);
      showPicked();
    }
  });
  /* The bars of an issue are a link to its events in all their time; a click on one leads to those of its step. */
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-bars]");
    if (!link || event.detail === 0) return;
    const { left, width } = find("svg", link).getBoundingClientRect();
    const { bars, since, step } = link.dataset;
    const number = Math.min(bars - 1, Math.max(0, Math.floor((event.clientX - left) / width * bars)));
    const [start, end] = [number, number + 1].map((each) => `${new Date(Number(since) + each * step).toISOString().slice(0, 16)}Z`);
    const address = new URL(link.href);
    address.searchParams.set("period", `${start}/${end}`);
    const whole = link.href;
    link.href = address;
    setTimeout(() => { link.href = whole; });
  }, true);
  document.addEventListener("partchange", showPicked);

  /* Deciding */
  const DONE = {
    resolve: "resolved", ignore: "ignored", unresolve: "unresolved", merge: "merged", assign: "assigned", unassign: "unassigned",
    delete: "deleted",
  };
  const counted = (ids) => `${ids.length} ${ids.length === 1 ? "issue" : "issues"}`;
  const send = async (path, body) => {
    const headers = { "Content-Type": "application/json" };
    return (await ask(path, { method: "POST", headers, body: JSON.stringify(body) })).json();
  };
  // All of them or none; what was before comes back exactly.
  const act = async (ids, action, detail) => {
    const made = await send(bar.dataset.actions, { ids, action, detail });
    return () => send(bar.dataset.undoAddress, { batch_id: made.batch_id });
  };
  const merge = async (ids) => {
    const order = rows().map((row) => row.dataset.issue).filter((id) => ids.includes(id));
    const [whole, ...parts] = order;
    const made = await send(bar.dataset.actions.replace(/actions$/, "merge"), { ids: parts, into: whole });
    return () => send(bar.dataset.undoAddress, { batch_id: made.batch_id });
  };
  const decide = async (action, ids, detail = {}) => {
    if (!ids.length || (action === "merge" && ids.length < 2)) return;
    const focused = rows().findIndex((row) => row.contains(document.activeElement));
    try {
      const back = action === "merge" ? await merge(ids) : await act(ids, action, detail);
      for (const id of ids) picked.delete(id);
      await refreshNow();
      showPicked();
      if (focused >= 0) focusRow(Math.min(focused, rows().length - 1));
      toast(`${counted(ids)} ${DONE[action]}.`, async () => {
        try {
          await back();
          await refreshNow();
          toast("Undone.");
        } catch (error) { toast(error.message); }
      });
    } catch (error) {
      toast(error.message);
      await refreshNow();
    }
  };
  bar.addEventListener("click", (event) => {
    const button = event.target.closest("[data-bulk-action]");
    if (button && button.dataset.bulkAction === "assign") assign([...picked]);
    else if (button) decide(button.dataset.bulkAction, [...picked], JSON.parse(button.dataset.detail || "{}"));
    for (const menu of all("details[open]", bar)) if (button) menu.open = false;
    if (event.target.closest("[data-bulk-clear]")) { picked.clear(); showPicked(); }
  });

  /* Whom to assign to is asked. */
  const people = find("[data-assign-dialog]");
  let assigned = [];
  const assign = async (ids) => {
    if (!ids.length) return;
    assigned = ids;
    const select = find("select", people);
    if (select.options.length < 2) {
      try {
        const { members } = await (await ask("/api/members")).json();
        for (const { email } of members) select.append(new Option(email, email, email === select.dataset.me, email === select.dataset.me));
      } catch (error) { toast(error.message); return; }
    }
    find("[data-assign-words]", people).textContent = `Assign ${counted(ids)}`;
    people.showModal();
    select.focus();
  };
  find("[data-assign-cancel]", people).addEventListener("click", () => people.close());
  find("form", people).addEventListener("submit", (event) => {
    event.preventDefault();
    people.close();
    const assignee = event.target.assignee.value;
    if (assignee) decide("assign", assigned, { assignee }); else decide("unassign", assigned);
  });

  /* By keyboard: the row that is meant is the one with the focus. */
  const focusedRow = () => document.activeElement.closest?.("tr[data-issue]") || null;
  const focusRow = (number) => {
    const row = rows()[number];
    if (!row) { find("#main").focus(); return; }
    linkOf(row).focus();
    row.scrollIntoView({ block: "nearest" });
  };
  const step = (by) => {
    const shown = rows();
    const place = shown.indexOf(focusedRow());
    focusRow(place < 0 ? (by > 0 ? 0 : shown.length - 1) : Math.max(0, Math.min(shown.length - 1, place + by)));
  };
  const meant = () => (picked.size ? [...picked] : focusedRow() ? [focusedRow().dataset.issue] : []);
  const group = "Issue list";
  const hasRows = () => rows().length > 0;
  const hasFocus = () => focusedRow() !== null;
  const hasMeant = () => meant().length > 0;
  keys.add(["j", "arrowdown"], "Next issue", () => step(1), { group, when: hasRows });
  keys.add(["k", "arrowup"], "Previous issue", () => step(-1), { group, when: hasRows });
  keys.add(["o", "enter"], "Open issue", () => linkOf(focusedRow()).click(), { group, when: hasFocus });
  keys.add("x", "Select issue", () => pick(focusedRow(), !boxOf(focusedRow()).checked), { group, when: hasFocus });
  keys.add("shift+x", "Select a range", () => pickRange(focusedRow(), true), { group, when: hasFocus });
  keys.add("e", "Resolve", () => decide("resolve", meant()), { group, when: hasMeant });
  keys.add("i", "Ignore", () => decide("ignore", meant()), { group, when: hasMeant });
  keys.add("u", "Unresolve", () => decide("unresolve", meant()), { group, when: hasMeant });
  keys.add("a", "Assign", () => assign(meant()), { group, when: hasMeant });
  keys.add("m", "Merge selected issues into the top one", () => decide("merge", meant()), { group, when: () => picked.size > 1 });
  keys.add("escape", "Clear selection", () => { picked.clear(); showPicked(); }, { group, when: () => picked.size > 0 });

  /* What came when, and facets, come after the list, and follow its changes: at once, then so often at most. */
  const following = (load, leastMs) => {
    let last = Date.now(), waits = false;
    document.addEventListener("partchange", ({ detail: part }) => {
      if (part.dataset.live !== "issues" || waits) return;
      waits = true;
      setTimeout(() => { waits = false; last = Date.now(); load(); }, Math.max(0, last + leastMs() - Date.now()));
    });
  };
  const events = find("[data-events]");
  const loadEvents = async () => {
    const response = await ask(events.dataset.events);
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    events.replaceChildren(...document.adoptNode(fresh.body).childNodes);
    events.hidden = false;
  };
  // The list is whole without it.
  if (events) {
    loadEvents().catch(() => {});
    following(() => loadEvents().catch(() => {}), () => 10_000);
  }
  const facets = find("[data-facets]");
  const frame = find("[data-facets-frame]");
  let hasFacets = !frame || frame.open;
  const loadFacets = async () => {
    if (!frame || hasFacets || !frame.open) return;
    hasFacets = true;
    const body = find("[data-facets-body]");
    body.setAttribute("aria-busy", "true");
    try {
      const response = await ask(facets.dataset.facets);
      if (response.status === 204) return;
      const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
      body.replaceChildren(...document.adoptNode(fresh.body).childNodes);
      window.errata.refreshTimes();
    } catch (error) {
      hasFacets = false;
      body.textContent = error.message;
    } finally { body.removeAttribute("aria-busy"); }
  };
  const REMEMBERED = "errata.facets";
  const isWide = matchMedia("(min-width: 1000px)").matches;
  let remembered = null;
  try { remembered = localStorage.getItem(REMEMBERED); } catch { /* private windows */ }
  if (frame) {
    if (!frame.open && isWide && remembered !== "closed") frame.open = true;
    frame.addEventListener("toggle", () => {
      try { localStorage.setItem(REMEMBERED, frame.open ? "open" : "closed"); } catch { /* private windows */ }
      loadFacets();
    });
    loadFacets();
    // Counted once a minute. Whoever is choosing one keeps it under the pointer.
    following(() => {
      if (facets.matches(":hover") || facets.contains(document.activeElement)) return;
      hasFacets = false;
      loadFacets();
    }, () => (find(".facet", facets) ? 30_000 : 0));
    keys.add("f", "Filters", () => { frame.open = true; find("summary", frame).focus(); }, { group });
  }

  /* A search that runs says so. */
  const running = find("[data-search-running]");
  document.addEventListener("searchstart", () => {
    running.hidden = false;
    find("[data-search-words]", running).textContent = "Searching…";
    find('[data-live="issues"]').setAttribute("aria-busy", "true");
  });
  addEventListener("pageshow", () => {
    running.hidden = true;
    find('[data-live="issues"]').removeAttribute("aria-busy");
  });

  /* Saved searches */
  const dialog = find("[data-save-dialog]");
  const box = find("input[data-main-search]");
  const save = find("[data-save-search]");
  save.hidden = false;
  save.addEventListener("click", () => {
    find("[data-save-words]", dialog).textContent = box.value || "(everything)";
    dialog.showModal();
  });
  find("[data-save-cancel]", dialog).addEventListener("click", () => dialog.close());
  find("[data-save-form]", dialog).addEventListener("submit", async (event) => {
    event.preventDefault();
    const form = event.target;
    const error = find("[data-save-error]", dialog);
    const sort = new URLSearchParams(location.search).get("sort") || "last_seen";
    try {
      await ask(form.dataset.address, {
        method: "POST", headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ name: form.name.value, query: box.value, sort, is_shared: form.is_shared.checked }),
      });
      location.reload();
    } catch (problem) {
      error.textContent = problem.message;
      error.hidden = false;
    }
  });
  for (const button of all("[data-delete-search]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await ask(button.dataset.deleteSearch, { method: "DELETE" });
        button.closest("li").remove();
        save.focus();
        toast("Search deleted.");
      } catch (problem) { toast(problem.message); }
    });
  }

  showPicked();
})();
