"use strict";
// Writing the rules of a project.
(() => {
  const { afterwards, post } = window.errata;
  for (const form of document.querySelectorAll("[data-rules]")) {
    const said = form.querySelector("[data-rules-said]");
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const fields = form.elements;
      const button = event.submitter;
      button.disabled = true;
      said.textContent = "Checking all events…";
      fields.rules.removeAttribute("aria-invalid");
      try {
        const body = { version: Number(fields.version.value), rules: fields.rules.value };
        const draft = await post(`${form.dataset.rules}/draft`, body, "PUT");
        afterwards("Draft saved. It isn't applied yet.", "#preview-title", `${location.pathname}?preview=${draft.number}`);
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
