"use strict";
// The inbound filters of a project: a preview of those that are chosen, and saving them.
(() => {
  const { afterwards, post } = window.errata;
  const form = document.querySelector("[data-inbound-filters]");
  const preview = document.querySelector("#preview");
  if (!preview) return;
  const said = form.querySelector("[data-filters-said]");
  const boxes = Array.from(form.querySelectorAll("input[type=checkbox]"));
  const listOf = (kind) => form.querySelector(`[data-entries="${kind}"]`);
  const label = (kind) => form.elements[kind].closest("label").querySelector("[data-filter-label]").textContent;
  const number = (value) => value.toLocaleString("en-US");
  const counted = (value, noun) => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;

  const entries = (list) => (list ? list.value.split("\n").map((line) => line.trim()).filter(Boolean) : []);
  const chosen = () => ({
    filters: Object.fromEntries(boxes.filter((box) => box.checked).map((box) => [box.name, entries(listOf(box.name))])),
  });

  const selectEntry = (list, position) => {
    let at = 0;
    for (const line of list.value.split("\n")) {
      if (line.trim() && !--position) {
        list.setSelectionRange(at, at + line.length);
        return;
      }
      at += line.length + 1;
    }
  };

  // "filters: error-message, entry 2: …; ip-address: …", or "filters.error-message.1: …" of a value out of its bounds.
  const complain = (message) => {
    let isFirst = true;
    const lines = message.replace(/^filters[:.] ?/, "").split("; ").map((problem) => {
      const named = /^([a-z-]+)(?:, entry (\d+)|\.(\d+))?:/.exec(problem);
      if (!named || !(named[1] in form.elements)) return problem;
      const list = listOf(named[1]);
      const position = named[2] ? Number(named[2]) : named[3] ? Number(named[3]) + 1 : 0;
      list?.setAttribute("aria-invalid", "true");
      if (isFirst) {
        (list || form.elements[named[1]]).focus();
        if (list && position) selectEntry(list, position);
      }
      isFirst = false;
      return `${label(named[1])}${position ? `, entry ${position}` : ""}${problem.slice(named[0].length - 1)}`;
    });
    said.textContent = lines.join("\n");
  };

  const share = (part, whole) => {
    const percent = (100 * part) / whole;
    return `${percent && percent < 0.1 ? "less than 0.1" : percent.toLocaleString("en-US", { maximumFractionDigits: 1 })}%`;
  };

  const row = (issue) => {
    const made = preview.querySelector("template").content.cloneNode(true);
    const link = made.querySelector("a");
    link.textContent = issue.title || issue.issue_id;
    link.href = `/issues/${issue.issue_id}`;
    const [kinds, filtered, all] = made.querySelectorAll("td");
    kinds.textContent = issue.kinds.map(label).join(", ");
    filtered.textContent = number(issue.filtered_event_count);
    all.textContent = number(issue.event_count);
    return made;
  };

  const count = ([kind, events]) => {
    const item = document.createElement("li");
    item.textContent = `${label(kind)}: ${counted(events, "event")}`;
    return item;
  };

  const show = (found) => {
    const checked = `${found.is_sample ? "a sample of " : ""}${counted(found.event_count, "error event")} of the last 7 days`;
    let words = `Would have dropped ${share(found.filtered_event_count, found.event_count)} of ${checked}.`;
    if (!found.event_count) words = "No error events in the last 7 days to preview.";
    else if (!found.filtered_event_count) words = `Nothing would have been dropped of ${checked}.`;
    const more = found.issue_count - found.issues.length;
    const notes = [
      found.is_sample ? `Checked by chance among ${counted(found.stored_event_count, "stored event")}; shares are estimates.` : "",
      more > 0 ? `${counted(more, "more issue")} not shown.` : "",
      "A preview checks error events only: transactions aren't kept as they were sent.",
    ];
    preview.querySelector("[data-summary]").textContent = words;
    preview.querySelector("[data-kinds]").replaceChildren(...Object.entries(found.kinds).filter(([, events]) => events).map(count));
    const table = preview.querySelector("[data-issues]");
    table.tBodies[0].replaceChildren(...found.issues.map(row));
    table.hidden = !found.issues.length;
    preview.querySelector("[data-sample]").textContent = notes.filter(Boolean).join(" ");
    preview.hidden = false;
    said.textContent = words;
    preview.querySelector("#preview-title").focus();
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = event.submitter;
    button.disabled = true;
    said.textContent = "Working…";
    for (const list of form.querySelectorAll("textarea")) list.removeAttribute("aria-invalid");
    try {
      if (button.value === "preview") show(await post(`${form.dataset.inboundFilters}/preview`, chosen()));
      else {
        await post(form.dataset.inboundFilters, chosen(), "PUT");
        afterwards("Filters saved. They apply to new events.", "#filters-title");
      }
    } catch (error) {
      complain(error.message);
    }
    button.disabled = false;
  });
})();
