"use strict";
// Forms that ask the API: fields become JSON, an answer is shown or the page is loaded again.
(() => {
  const token = () => document.querySelector('meta[name="csrf-token"]')?.content || "";

  const value = (field) => {
    if (field.type === "checkbox") return field.checked;
    if ("number" in field.dataset) return Number(field.value);
    if ("lines" in field.dataset) return field.value.split("\n").map((line) => line.trim()).filter(Boolean);
    if (field.type === "datetime-local") return field.value ? new Date(field.value).toISOString() : null;
    return field.value;
  };

  const body = (form) => {
    const fields = {};
    for (const field of form.elements) {
      if (!field.name || field.disabled || (field.type === "radio" && !field.checked)) continue;
      if (field.value === "" && "leaveOut" in field.dataset) continue;
      if (field.value === "" && "orNull" in field.dataset) {
        fields[field.name] = null;
        continue;
      }
      if ("list" in field.dataset) {
        fields[field.name] ??= [];
        if (field.checked) fields[field.name].push(field.value);
        continue;
      }
      fields[field.name] = value(field);
    }
    // Instead of a list of some: all, later ones too.
    for (const all of form.querySelectorAll("[data-all]")) if (all.checked) fields[all.dataset.all] = null;
    return fields;
  };

  const say = (form, words, isWrong) => {
    const line = form.querySelector("[data-said]");
    if (!line) return;
    line.textContent = words;
    line.classList.toggle("wrong", isWrong);
    line.hidden = !words;
  };

  const show = (form, answer) => {
    // What is shown once: its field of the answer, and the words beside it.
    const made = form.querySelector("[data-made]");
    const value = made && answer[made.dataset.made];
    if (value) {
      made.hidden = false;
      for (const part of form.querySelectorAll("[data-until-made]")) part.hidden = true;
      const input = made.querySelector("input, textarea");
      input.value = Array.isArray(value) ? value.join("\n") : value;
      input.focus();
      input.select();
      say(form, made.dataset.words, false);
      // Commands on the next page are filled with it.
      if (made.dataset.keep) {
        try { sessionStorage.setItem(made.dataset.keep + (answer.slug || ""), value); } catch { /* Not allowed to. */ }
      }
      const next = made.querySelector("a[data-next]");
      if (next) next.href = next.dataset.next.replace("{slug}", encodeURIComponent(answer.slug || ""));
    } else {
      say(form, answer.message || form.dataset.words || "Done.", answer.is_working === false);
    }
  };

  // A list of the page that has one more row now; the form stays as it is.
  const renew = async (selector) => {
    const response = await fetch(location.href, { credentials: "same-origin" });
    if (!response.ok || response.redirected) return;
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html").querySelector(selector);
    if (fresh) document.querySelector(selector)?.replaceWith(document.adoptNode(fresh));
  };

  // Keys and people are shown and changed only just after the password was given. Resolves to whether it was.
  const confirmPassword = () => new Promise((resolve) => {
    const dialog = document.createElement("dialog");
    dialog.setAttribute("aria-labelledby", "confirm-title");
    dialog.innerHTML = `<form method="dialog"><h2 id="confirm-title">Confirm your password</h2>
      <div class="field"><label for="confirm-password">Password</label><input id="confirm-password" type="password" required maxlength="1000" autocomplete="current-password"></div>
      <p class="small wrong" role="alert" hidden></p>
      <p><button class="button" type="button">Cancel</button> <button class="button primary-action">Confirm</button></p></form>`;
    const wrong = dialog.querySelector(".wrong");
    dialog.addEventListener("close", () => { dialog.remove(); resolve(dialog.returnValue === "confirmed"); });
    dialog.querySelector("button[type=button]").addEventListener("click", () => dialog.close());
    dialog.querySelector("form").addEventListener("submit", async (event) => {
      event.preventDefault();
      event.stopPropagation();
      const response = await fetch("/api/auth/confirm", {
        method: "POST",
        credentials: "same-origin",
        headers: { "X-CSRF-Token": token(), "Content-Type": "application/json" },
        body: JSON.stringify({ password: dialog.querySelector("input").value }),
      }).catch(() => null);
      if (response?.ok) return dialog.close("confirmed");
      const answer = await response?.json().catch(() => ({}));
      wrong.textContent = answer?.error === "invalid_credentials" ? "Wrong password."
        : answer?.message || "The server didn't respond. Try again.";
      wrong.hidden = false;
      dialog.querySelector("input").select();
    });
    document.body.append(dialog);
    dialog.showModal();
  });

  const send = async (form, button) => {
    const method = form.dataset.method || "POST";
    const needsBody = method === "POST" || method === "PUT";
    const response = await fetch(form.dataset.api, {
      method,
      credentials: "same-origin",
      headers: { "X-CSRF-Token": token(), ...(needsBody ? { "Content-Type": "application/json" } : {}) },
      body: needsBody ? JSON.stringify(body(form)) : undefined,
    });
    const answer = response.status === 204 ? {} : await response.json().catch(() => ({}));
    if (answer.error === "password_required") {
      if (!await confirmPassword()) throw new Error("Not done: it needs your password.");
      return send(form, button);
    }
    if (!response.ok) throw new Error(answer.message || `The server responded with ${response.status}. Try again.`);
    if (form.dataset.then === "show") {
      show(form, answer);
      if (form.dataset.renews) renew(form.dataset.renews);
    }
    else if (form.dataset.then) location.assign(form.dataset.then);
    else location.reload();
    button.disabled = false;
  };

  document.addEventListener("submit", async (event) => {
    const form = event.target.closest("form[data-api]");
    if (!form) return;
    event.preventDefault();
    if (form.dataset.ask && !confirm(form.dataset.ask)) return;
    const button = event.submitter || form.querySelector("button");
    button.disabled = true;
    say(form, "…", false);
    try {
      await send(form, button);
    } catch (error) {
      say(form, error.message, true);
      button.disabled = false;
    }
  });

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy-made], [data-copy-page]");
    if (!button) return;
    const text = "copyPage" in button.dataset
      ? new URL(button.dataset.copyPage, location.href).href
      : button.parentElement.querySelector("input, textarea").value;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Copy failed; copy it manually";
    }
  });

  // Fields that only one choice needs.
  const choose = (select) => {
    for (const part of select.form.querySelectorAll("[data-of]")) {
      const isWanted = part.dataset.of.split(" ").includes(select.value);
      part.hidden = !isWanted;
      for (const field of part.querySelectorAll("input, select")) field.disabled = !isWanted;
    }
  };
  document.addEventListener("change", (event) => {
    if (event.target.matches("select[data-chooses]")) choose(event.target);
  });
  for (const select of document.querySelectorAll("select[data-chooses]")) choose(select);
})();
