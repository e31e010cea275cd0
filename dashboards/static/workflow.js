"use strict";
// Decisions about an issue: menus, their undo, comments.
(() => {
  const find = (selector, within = document) => within.querySelector(selector);
  const { ask, toast, refreshNow } = window.errata;
  const json = { "Content-Type": "application/json" };
  const post = (path, body, method = "POST") => ask(path, { method, headers: json, body: JSON.stringify(body) });
  const place = () => find("[data-workflow]").dataset;

  const closeMenus = () => {
    for (const menu of document.querySelectorAll("details[data-menu][open]")) {
      menu.open = false;
      find("summary", menu).focus();
    }
  };

  const undo = async (what) => {
    try {
      await post(`${place().workflow}/undo`, what);
      toast("Undone.");
      await refreshNow();
    } catch (error) { toast(error.message); }
  };

  const act = async (action, detail, done) => {
    closeMenus();
    try {
      const response = await post(`${place().workflow}/actions`, { ids: [place().issue], action, detail });
      const made = await response.json();
      toast(done, () => undo({ batch_id: made.batch_id }));
      await refreshNow();
    } catch (error) { toast(error.message); }
  };

  const detailOf = (form) => {
    const values = Object.fromEntries(new FormData(form));
    if (form.dataset.actForm === "resolve") return { in: "release", release: values.release.trim() };
    const condition = { kind: values.kind, count: Number(values.count) };
    if (values.window_minutes !== "0") condition.window_minutes = Number(values.window_minutes);
    return { condition };
  };

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.act) {
      const { action, detail = {} } = JSON.parse(button.dataset.act);
      const seconds = Number(button.dataset.forSeconds || 0);
      if (seconds) detail.until = new Date(Date.now() + seconds * 1000).toISOString();
      await act(action, detail, button.dataset.done);
    } else if (button.dataset.undoAction) {
      await undo({ action_ids: [button.dataset.undoAction] });
    } else if (button.dataset.openDialog) {
      closeMenus();
      find(`#${button.dataset.openDialog}`).showModal();
    } else if (button.dataset.editComment) {
      const form = find(`#edit-${button.dataset.editComment}`);
      form.hidden = !form.hidden;
      if (!form.hidden) find("textarea", form).focus();
    } else if (button.dataset.deleteComment) {
      try {
        const made = await (await ask(button.dataset.deleteComment, { method: "DELETE" })).json();
        toast("Comment deleted.", () => undo({ action_ids: [made.action_id] }));
        await refreshNow();
      } catch (error) { toast(error.message); }
    }
  });

  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (form.dataset.actForm) {
      event.preventDefault();
      await act(form.dataset.actForm, detailOf(form), form.dataset.done);
    } else if (form.dataset.comment) {
      event.preventDefault();
      const area = find("textarea", form);
      try {
        await post(form.dataset.comment, { text: area.value }, form.dataset.method || "POST");
        if (!form.dataset.method) area.value = "";
        form.hidden = Boolean(form.dataset.method);
        await refreshNow();
      } catch (error) { toast(error.message); }
    }
  });
})();
