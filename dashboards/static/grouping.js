"use strict";
// Moving variants between issues, and issues into one another.
(() => {
  const { afterwards, post, issueNamed } = window.errata;
  const find = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => Array.from(within.querySelectorAll(selector));

  const attempt = async (button, form, action) => {
    const said = find("[data-said]", form);
    button.disabled = true;
    said.textContent = "Working…";
    said.hidden = false;
    try {
      await action();
    } catch (error) {
      said.textContent = error.message;
      button.disabled = false;
      button.focus();
    }
  };
  const counted = (number) => `${number} ${number === 1 ? "variant" : "variants"}`;

  for (const form of all("[data-grouping]")) {
    const path = `/api/issues/${form.dataset.grouping}`;
    const actions = find("[data-needs-script]", form);
    const chosen = () => all("input[name=variant]:checked", form).map((box) => box.value);
    const into = find("input[name=into]", form);
    const enable = () => {
      const count = chosen().length;
      const isAll = count === Number(form.dataset.variants);
      for (const button of all("[data-do]", form)) {
        button.disabled = !count || (button.dataset.do !== "release" && isAll) || (button.dataset.do === "move" && !issueNamed(into));
      }
      find("[data-chosen]", form).textContent = !count
        ? "Select variants to move."
        : `${counted(count)} selected.${isAll ? " To move all of them, merge the issue below." : ""}`;
    };
    const moved = async (body) => {
      const { issue_id: issue } = await post(`${path}/split`, body);
      afterwards(`${counted(body.variants.length)} moved here.`, "#variants-title", `${form.dataset.issues}${issue}?tab=grouping`);
    };
    actions.hidden = false;
    form.addEventListener("input", enable);
    enable();
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const move = find("[data-do=move]", form);
      if (!move.disabled) move.click();
    });
    for (const button of all("[data-do]", form)) {
      button.addEventListener("click", () => attempt(button, form, async () => {
        const variants = chosen();
        if (button.dataset.do === "split") await moved({ variants });
        else if (button.dataset.do === "move") await moved({ variants, into: issueNamed(into) });
        else {
          await post(`${path}/release`, { variants });
          afterwards(`${counted(variants.length)} reset to automatic grouping.`, "#variants-title");
        }
      }));
    }
  }

  for (const form of all("[data-merge]")) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const into = issueNamed(find("input[name=into]", form));
      attempt(find("button", form), form, async () => {
        await post(`/api/issues/${form.dataset.merge}/merge`, { into });
        afterwards("Merged into this issue.", "#merged-title", `${form.dataset.issues}${into}?tab=grouping`);
      });
    });
  }
})();
