"use strict";
// What a project filters and keeps: a preview of the rules as they are written, and saving them.
(() => {
  const { afterwards, post } = window.errata;
  const form = document.querySelector("[data-scrubbing]");
  const preview = document.querySelector("#preview");
  if (!preview) return;
  const said = form.querySelector("[data-rules-said]");
  const lists = Array.from(form.querySelectorAll("textarea"));
  const counted = (number, noun) => `${number.toLocaleString("en-US")} ${noun}${number === 1 ? "" : "s"}`;

  // Patterns may begin or end with a space; empty lines are no rules.
  const entries = (list) => list.value.split("\n").filter((line) => line.trim());
  const rules = () => Object.fromEntries(lists.map((list) => [list.name, entries(list)]));

  const selectEntry = (list, number) => {
    const lines = list.value.split("\n");
    let at = 0;
    for (const line of lines) {
      if (line.trim() && !--number) {
        list.setSelectionRange(at, at + line.length);
        return;
      }
      at += line.length + 1;
    }
  };

  const complain = (message) => {
    const problems = message.split("; ");
    const titled = (problem) => lists.reduce((text, list) => text.replace(new RegExp(`^${list.name}\\b`), list.labels[0].textContent), problem);
    said.textContent = problems.map(titled).join("\n");
    let isFirst = true;
    for (const line of problems) {
      const named = /^(\w+)(?:, entry (\d+)|\.(\d+))?:/.exec(line);
      const list = named && lists.find((each) => each.name === named[1]);
      if (!list) continue;
      list.setAttribute("aria-invalid", "true");
      if (isFirst) {
        list.focus();
        selectEntry(list, named[2] ? Number(named[2]) : Number(named[3] || 0) + 1);
      }
      isFirst = false;
    }
  };

  const row = (field) => {
    const made = preview.querySelector("template").content.cloneNode(true);
    const [path, before, after] = made.querySelectorAll("code");
    path.textContent = field.path || "(names)";
    before.textContent = field.before;
    after.textContent = field.kind === "kept" ? "stored as sent" : field.after;
    made.querySelector("tr").lastElementChild.textContent = field.event_count.toLocaleString("en-US");
    return made;
  };

  const show = (found) => {
    const table = preview.querySelector("[data-changes]");
    const more = found.field_count - found.fields.length;
    let words = `${counted(found.changed_event_count, "event")} of ${found.event_count} would have values filtered.`;
    if (!found.event_count) words = "No stored events to preview.";
    else if (!found.field_count) words = `Nothing would change in the latest ${counted(found.event_count, "event")}.`;
    else if (more > 0) words += ` ${counted(more, "more field")} not shown.`;
    preview.querySelector("[data-summary]").textContent = words;
    table.tBodies[0].replaceChildren(...found.fields.map(row));
    table.hidden = !found.fields.length;
    preview.hidden = false;
    said.textContent = words;
    preview.querySelector("#preview-title").focus();
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = event.submitter;
    button.disabled = true;
    said.textContent = "Working…";
    for (const list of lists) list.removeAttribute("aria-invalid");
    try {
      if (button.value === "preview") show(await post(`${form.dataset.scrubbing}/preview`, rules()));
      else {
        await post(form.dataset.scrubbing, rules(), "PUT");
        afterwards("Rules saved. They apply to new events.", "#rules-title");
      }
    } catch (error) {
      complain(error.message);
    }
    button.disabled = false;
  });
})();
