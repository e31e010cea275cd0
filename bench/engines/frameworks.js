/** Errors that production builds of React name by a code, met in two releases of it. */
import * as Sentry from "@sentry/browser";
import { createElement, useEffect, useLayoutEffect, useState } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import * as React18 from "react18";
import { createRoot as createRoot18, hydrateRoot as hydrateRoot18 } from "react-dom18/client";

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

const RELEASES = [
  { create: createElement, state: useState, effect: useEffect, layout: useLayoutEffect, root: createRoot, hydrate: hydrateRoot },
  {
    create: React18.createElement,
    state: React18.useState,
    effect: React18.useEffect,
    layout: React18.useLayoutEffect,
    root: createRoot18,
    hydrate: hydrateRoot18,
  },
];

function place(html) {
  const element = document.createElement("div");
  element.innerHTML = html;
  document.body.append(element);
  return element;
}

function hydrated({ create, hydrate }, html, view) {
  hydrate(place(html), create(view), { onRecoverableError: (error) => Sentry.captureException(error) });
}

function rendered({ create, root }, view) {
  root(place(""), { onUncaughtError: (error) => Sentry.captureException(error) }).render(create(view));
}

const BUGS = {
  // Text that differs from the server's, and an element: one code in React 19, with another argument.
  "server and client differ: text": (react) => hydrated(react, "<p>Monday</p>", () => react.create("p", null, "Tuesday")),
  "server and client differ: element": (react) => hydrated(react, "<b>Cart</b>", () => react.create("p", null, "Cart")),
  "updates without end: badge": (react) =>
    rendered(react, function Badge() {
      const [count, setCount] = react.state(0);
      react.layout(() => setCount(count + 1));
      return react.create("i", null, count);
    }),
  "hooks more than before": (react) =>
    rendered(react, function Menu() {
      const [open, setOpen] = react.state(false);
      if (open) react.effect(() => {}, []);
      react.layout(() => setOpen(true), []);
      return null;
    }),
  "no component": (react) => rendered(react, () => react.create(undefined)),
  "object as a child": (react) => rendered(react, () => react.create("p", null, { name: "Ada", total: 17 })),
  "object as a child, other keys": (react) => rendered(react, () => react.create("p", null, { sku: 4 })),
  "updates while rendering": (react) =>
    rendered(react, function Price() {
      const [price, setPrice] = react.state(0);
      setPrice(price + 1);
      return price;
    }),
};

window.addEventListener("error", (event) => event.preventDefault());

async function main() {
  for (const [name, meet] of Object.entries(BUGS)) {
    for (const react of RELEASES) {
      bug = name;
      try {
        meet(react);
      } catch (error) {
        Sentry.captureException(error);
      }
      await new Promise((done) => setTimeout(done, 300));
    }
  }
  await fetch("/", { method: "POST", body: JSON.stringify(events) });
}

main();
