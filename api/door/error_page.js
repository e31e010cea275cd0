// The dialog that showReportDialog() of a Sentry SDK opens: it asks what happened, and sends the words as feedback
// about the error. Its texts and the error are in the address of this script.
(() => {
  "use strict";

  const address = document.currentScript.src;
  const options = new URL(address).searchParams;
  const option = (name, text) => options.get(name) || text;

  const STYLE = `
    dialog {
      box-sizing: border-box; width: min(30rem, calc(100vw - 2rem)); max-height: calc(100vh - 2rem);
      padding: 1.5rem; border: 1px solid color-mix(in srgb, CanvasText 20%, Canvas); border-radius: 12px;
      color-scheme: light dark; color: CanvasText; background: Canvas;
      font: 400 1rem/1.5 system-ui, sans-serif; text-align: left;
    }
    dialog::backdrop { background: rgb(0 0 0 / 50%); }
    h2 { margin: 0 0 .25rem; font-size: 1.25rem; line-height: 1.3; }
    p { margin: 0 0 1rem; }
    label { display: block; margin: .75rem 0 .25rem; font-weight: 600; }
    input, textarea {
      box-sizing: border-box; width: 100%; padding: .5rem .75rem; font: inherit; color: inherit;
      background: Field; border: 1px solid color-mix(in srgb, CanvasText 35%, Canvas); border-radius: 6px;
    }
    textarea { min-height: 7rem; resize: vertical; }
    [role="alert"]:not(:empty) { margin: 1rem 0 0; color: light-dark(#b3261e, #ff8a80); }
    .buttons { display: flex; flex-wrap: wrap; justify-content: flex-end; gap: .5rem; margin-top: 1.25rem; }
    button {
      min-height: 2.75rem; padding: 0 1rem; font: inherit; cursor: pointer; color: inherit; background: none;
      border: 1px solid color-mix(in srgb, CanvasText 35%, Canvas); border-radius: 6px;
    }
    button[type="submit"] { color: Canvas; background: CanvasText; border-color: CanvasText; font-weight: 600; }
    button[disabled] { opacity: .6; cursor: default; }
  `;

  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };

  const field = (name, label, control) => {
    control.id = control.name = name;
    control.required = true;
    return [element("label", { for: name }, label), control];
  };

  const host = element("div");
  const root = host.attachShadow({ mode: "closed" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];

  const name = element("input", { autocomplete: "name", maxlength: 200, value: option("name", "") });
  const email = element("input", { type: "email", autocomplete: "email", maxlength: 200, value: option("email", "") });
  const comments = element("textarea", { maxlength: 4096 });
  const problem = element("p", { role: "alert" });
  const close = element("button", { type: "button" }, option("labelClose", "Close"));
  const submit = element("button", { type: "submit" }, option("labelSubmit", "Send report"));
  const form = element(
    "form",
    {},
    element("h2", { id: "title" }, option("title", "Something went wrong")),
    element("p", {}, option("subtitle", "The error was reported. What were you doing when it happened?")),
    ...field("name", option("labelName", "Name"), name),
    ...field("email", option("labelEmail", "Email"), email),
    ...field("comments", option("labelComments", "What happened?"), comments),
    problem,
    element("div", { class: "buttons" }, close, submit),
  );
  const dialog = element("dialog", { "aria-labelledby": "title", lang: option("lang", "en") }, form);

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.textContent = "";
    submit.disabled = true;
    try {
      const answer = await fetch(address, { method: "POST", body: new URLSearchParams(new FormData(form)) });
      if (!answer.ok) throw new Error(String(answer.status));
    } catch {
      problem.textContent = option("errorGeneric", "Your report could not be sent. Please try again.");
      submit.disabled = false;
      return;
    }
    const thanks = element("p", { role: "status" }, option("successMessage", "Thank you. Your report was sent."));
    form.replaceChildren(form.querySelector("h2"), thanks, element("div", { class: "buttons" }, close));
    close.focus();
  });
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => {
    host.remove();
    // The SDK calls onClose then.
    window.postMessage("__sentry_reportdialog_closed__", "*");
  });

  root.append(dialog);
  document.body.append(host);
  dialog.showModal();
  (name.value ? (email.value ? comments : email) : name).focus();
})();
