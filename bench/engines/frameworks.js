/** Errors that production builds of React name by a code. */
import * as Sentry from "@sentry/browser";
import { createElement, useEffect, useLayoutEffect, useState } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";

let bug = "";
const events = [];

Sentry.init({
  dsn: "http://public@127.0.0.1:9/1",
  release: "shop-web@1.0.0",
  beforeSend(event) {
    events.push({ bug, event });
    return null;
  },
});

const report = (error) => Sentry.captureException(error);

function place(html) {
  const element = document.createElement("div");
  element.innerHTML = html;
  document.documentElement.append(element);
  return element;
}

function hydrated(html, view) {
  hydrateRoot(place(html), createElement(view), { onRecoverableError: report });
}

function rendered(view) {
  createRoot(place(""), { onUncaughtError: report }).render(createElement(view));
}

function Badge() {
  const [count, setCount] = useState(0);
  useLayoutEffect(() => setCount(count + 1));
  return createElement("i", null, count);
}

function Menu() {
  const [open, setOpen] = useState(false);
  if (open) useEffect(() => {}, []);
  useLayoutEffect(() => setOpen(true), []);
  return null;
}

function Price() {
  const [price, setPrice] = useState(0);
  setPrice(price + 1);
  return price;
}

const BUGS = {
  "text differs": () => hydrated("<p>Monday</p>", () => createElement("p", null, "Tuesday")),
  "element differs": () => hydrated("<b>Cart</b>", () => createElement("p", null, "Cart")),
  "updates without end": () => rendered(Badge),
  "hooks more than before": () => rendered(Menu),
  "no component": () => rendered(() => createElement(undefined)),
  "object as a child": () => rendered(() => createElement("p", null, { name: "Ada", total: 17 })),
  "object as a child, other keys": () => rendered(() => createElement("p", null, { sku: 4 })),
  "updates while rendering": () => rendered(Price),
};

async function main() {
  for (const [name, meet] of Object.entries(BUGS)) {
    bug = name;
    meet();
    await new Promise((done) => setTimeout(done, 200));
  }
  await fetch("/", { method: "POST", body: JSON.stringify(events) });
}

main();
