"use strict";
// The reference of the API: sends what a form asks for, with the session of whoever reads it.
(() => {
  const MOST_CHARACTERS = 100000;
  const reference = document.querySelector(".reference");
  const addressOf = (form) => {
    const query = new URLSearchParams();
    let path = form.dataset.try;
    for (const field of form.querySelectorAll("input")) {
      const value = field.value.trim();
      if (field.dataset.in === "path") path = path.replace(new RegExp(`\\{${field.name}(:path)?\\}`), encodeURIComponent(value));
      else if (value) query.append(field.name, value);
    }
    return query.size ? `${path}?${query}` : path;
  };
  const textOf = async (response) => {
    const kind = response.headers.get("Content-Type") || "";
    if (!/^text\/|json/.test(kind)) return `${kind}, ${(await response.blob()).size} bytes`;
    const text = await response.text();
    return (kind.startsWith("application/json") ? JSON.stringify(JSON.parse(text), null, 2) : text).slice(0, MOST_CHARACTERS);
  };
  const boxOf = (form) => {
    if (form.nextElementSibling) return form.nextElementSibling;
    const box = document.createElement("div");
    box.className = "answer";
    box.append(Object.assign(document.createElement("p"), { role: "status" }), Object.assign(document.createElement("pre"), { tabIndex: 0 }));
    form.after(box);
    return box;
  };
  const send = async (form) => {
    const box = boxOf(form);
    const [status, shown] = box.children;
    const address = addressOf(form);
    shown.hidden = true;
    status.textContent = `GET ${address} …`;
    try {
      const response = await fetch(address, { credentials: "same-origin", headers: { Accept: "*/*" } });
      status.textContent = `GET ${address}: ${response.status}`;
      shown.textContent = await textOf(response);
      shown.hidden = false;
    } catch { status.textContent = `GET ${address}: the server wasn't reached, or it leads elsewhere.`; }
  };
  for (const form of reference.querySelectorAll("form[data-try]")) {
    form.hidden = false;
    const slug = form.querySelector('input[name="slug"]');
    if (slug) slug.value = reference.dataset.slug;
    form.addEventListener("submit", (event) => { event.preventDefault(); send(form); });
  }
})();
