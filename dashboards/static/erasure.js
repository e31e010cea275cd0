"use strict";
// The preview of an erasure. The form below it, which erases, is one of forms.js.
(() => {
  const asking = document.querySelector("form[data-erasure-preview]");
  const erasing = document.getElementById("erase-now");
  if (!asking || !erasing) return;
  const kind = document.getElementById("subject-kind");
  const value = document.getElementById("subject-value");
  const field = erasing.querySelector("[data-subject-field]");
  const confirm = erasing.querySelector("input[name=confirm]");

  const words = () => kind.value === "project" ? asking.dataset.slug : value.value;

  const changed = () => {
    erasing.hidden = true;
    const isProject = kind.value === "project";
    asking.querySelector("[data-subject]").hidden = isProject;
    value.disabled = isProject;
    value.placeholder = kind.selectedOptions[0].dataset.example;
  };

  const say = (text, isWrong) => {
    const line = asking.querySelector("[data-said]");
    line.textContent = text;
    line.classList.toggle("wrong", isWrong);
    line.hidden = !text;
  };

  const named = (table) => {
    const name = table.replace("errata_raw.", "").replaceAll("_", " ");
    return name[0].toUpperCase() + name.slice(1);
  };

  const show = (found) => {
    const count = new Intl.NumberFormat("en-US");
    const users = found.user_count > 1 ? ` of ${count.format(found.user_count)} user keys` : "";
    const title = erasing.querySelector("h3");
    title.textContent = `${count.format(found.row_count)} ${found.row_count === 1 ? "row" : "rows"}${users} will be erased`;
    erasing.querySelector("[data-tables]").replaceChildren(...found.tables.map((table) => {
      const row = document.createElement("tr");
      const name = document.createElement("th");
      name.scope = "row";
      name.textContent = named(table.table);
      const cell = document.createElement("td");
      cell.className = "number";
      cell.textContent = count.format(table.row_count);
      row.append(name, cell);
      return row;
    }));
    field.name = kind.value;
    field.value = words();
    confirm.value = "";
    confirm.setCustomValidity("");
    erasing.querySelector("[data-words]").textContent = words();
    erasing.hidden = false;
    title.focus();
  };

  kind.addEventListener("change", changed);
  value.addEventListener("input", () => { erasing.hidden = true; });
  confirm.addEventListener("input", () => {
    confirm.setCustomValidity(confirm.value === field.value ? "" : `Type ${field.value} exactly.`);
  });
  asking.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = asking.querySelector("button");
    button.disabled = true;
    say("Counting…", false);
    try {
      const response = await fetch(asking.dataset.erasurePreview, {
        method: "POST",
        credentials: "same-origin",
        headers: {
          "X-CSRF-Token": document.querySelector('meta[name="csrf-token"]')?.content || "",
          "Content-Type": "application/json",
        },
        body: JSON.stringify({ [kind.value]: words() }),
      });
      const found = await response.json().catch(() => ({}));
      if (!response.ok) throw new Error(found.message || `The server responded with ${response.status}. Try again.`);
      say(found.row_count ? "" : "No data of this subject.", !found.row_count);
      if (found.row_count) show(found);
    } catch (error) {
      say(error.message, true);
    } finally {
      button.disabled = false;
    }
  });
  changed();
})();
