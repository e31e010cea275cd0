"use strict";
// Moving variants between issues, and the rules of a project.
(() => {
  const find = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => Array.from(within.querySelectorAll(selector));

  const ask = async (path, method, body) => {
    const response = await fetch(path, {
      method,
      credentials: "same-origin",
      headers: {
        "X-CSRF-Token": find('meta[name="csrf-token"]')?.content || "",
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const answer = response.status === 204 ? {} : await response.json().catch(() => ({}));
    if (!response.ok) throw new Error(answer.message || `The service answered ${response.status}.`);
    return answer;
  };

  const say = (near, words) => {
    const line = find("[data-said]", near) || find("[data-toast]");
    if (!line) return;
    line.textContent = words;
    line.hidden = !words;
  };

  const attempt = async (button, near, action) => {
    button.disabled = true;
    say(near, "Working…");
    try {
      await action();
    } catch (error) {
      say(near, error.message);
      button.disabled = false;
    }
  };

  for (const form of all("[data-grouping]")) {
    const path = `/api/issues/${form.dataset.grouping}`;
    const actions = find("[data-needs-script]", form);
    const chosen = () => all("input[name=variant]:checked", form).map((box) => box.value);
    const into = find("input[name=into]", form);
    const enable = () => {
      for (const button of all("[data-do]", form)) {
        button.disabled = !chosen().length || (button.dataset.do === "move" && !into.value);
      }
    };
    actions.hidden = false;
    form.addEventListener("input", enable);
    enable();
    form.addEventListener("submit", (event) => event.preventDefault());
    for (const button of all("[data-do]", form)) {
      button.addEventListener("click", () => attempt(button, form, async () => {
        if (button.dataset.do === "release") {
          await ask(`${path}/release`, "POST", { variants: chosen() });
          location.reload();
          return;
        }
        const body = { variants: chosen(), ...(button.dataset.do === "move" ? { into: into.value.trim() } : {}) };
        const moved = await ask(`${path}/split`, "POST", body);
        location.assign(`${form.dataset.issues}${moved.issue_id}?tab=grouping`);
      }));
    }
  }

  for (const form of all("[data-merge]")) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const target = find("input[name=into]", form).value.trim();
      attempt(find("button", form), form, async () => {
        await ask(`/api/issues/${form.dataset.merge}/merge`, "POST", { into: target });
        location.assign(`${form.dataset.issues}${target}?tab=grouping`);
      });
    });
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-post]");
    if (!button) return;
    attempt(button, document, async () => {
      await ask(button.dataset.post, "POST", button.dataset.body ? JSON.parse(button.dataset.body) : undefined);
      location.reload();
    });
  });

  for (const form of all("[data-rules]")) {
    const said = find("[data-rules-said]", form);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const fields = form.elements;
      const button = event.submitter;
      button.disabled = true;
      said.textContent = "Looking at all of history…";
      fields.rules.removeAttribute("aria-invalid");
      try {
        const body = { version: Number(fields.version.value), rules: fields.rules.value };
        const draft = await ask(`${form.dataset.rules}/draft`, "PUT", body);
        location.assign(`${location.pathname}?preview=${draft.number}#preview`);
      } catch (error) {
        said.textContent = error.message.split("; ").join("\n");
        const line = /^line (\d+)/.exec(error.message);
        if (line) {
          const lines = fields.rules.value.split("\n");
          const start = lines.slice(0, line[1] - 1).join("\n").length + (line[1] > 1 ? 1 : 0);
          fields.rules.setAttribute("aria-invalid", "true");
          fields.rules.focus();
          fields.rules.setSelectionRange(start, start + lines[line[1] - 1].length);
        }
        button.disabled = false;
      }
    });
  }
})();
