/** One page with known bugs: each is met once, and its event goes to the server that gave the page. */
import * as Sentry from "@sentry/browser";

let bug = "";
const events = [];

Sentry.init({
  dsn: "http://public@127.0.0.1:9/1",
  release: "shop-web@1.0.0",
  beforeSend(event) {
    events.push({ bug: event.extra?.case ?? bug, event });
    return null;
  },
});

class Cart {
  constructor(lines) {
    this.lines = lines;
    this.customer = undefined;
  }
  get total() {
    return this.lines.reduce((sum, line) => sum + line.price.amount, 0);
  }
  static restore(text) {
    return new Cart(JSON.parse(text));
  }
  #discount(code) {
    return code.value.toUpperCase();
  }
  apply(code) {
    return this.#discount(code);
  }
  sorted() {
    return [...this.lines].sort((left, right) => left.name.localeCompare(right.name));
  }
  greet() {
    return `Hello ${this.customer.name}`;
  }
}

function names(items) {
  return items.map(function (item) {
    return item.label.trim();
  });
}

function price(text) {
  return text.replace(/\d+/g, (digits) => window.rates.euro * Number(digits));
}

function compiled(source) {
  return new Function("order", source)({});
}

function evaluated(source) {
  return eval(source);
}

function* pages() {
  const first = yield 1;
  yield first.next.page;
}

async function loadStock(id) {
  const answer = await Promise.resolve({ id });
  return answer.stock.count;
}

async function refresh(ids) {
  for (const id of ids) {
    await loadStock(id);
  }
}

function walk(node, visit) {
  visit(node);
  (node.children ?? []).forEach((child) => walk(child, visit));
}

function later(work) {
  return new Promise((resolve) => setTimeout(() => resolve(attempt(work)), 0));
}

const handlers = {
  "cart.add": (payload) => payload.detail.sku.length,
  remove(payload) {
    return payload.items.pop().id;
  },
};

function publish(name, payload) {
  return handlers[name](payload);
}

function onSubmit(event) {
  return event.target.form.elements.length;
}

function attempt(work) {
  try {
    work();
  } catch (error) {
    Sentry.captureException(error);
  }
}

const BUGS = {
  "line without price": () => new Cart([{ price: null }]).total,
  "broken storage": () => Cart.restore("{cart: 1}"),
  "storage cut": () => Cart.restore('{"lines": ['),
  "code without value": () => new Cart([]).apply({}),
  "line without name": () => new Cart([{ name: "a" }, {}]).sorted(),
  "customer missing": () => new Cart([]).greet(),
  "label missing": () => names([{ label: "a" }, {}]),
  "rates not loaded": () => price("5 EUR"),
  "template reads nothing": () => compiled("return order.customer.name"),
  "script reads nothing": () => evaluated("(function total(order) { return order.lines.length })({})"),
  "unknown variable": () => evaluated("vatRate * 2"),
  "page after the last": () => {
    const iterator = pages();
    iterator.next();
    iterator.next({});
  },
  "node without visitor": () => walk({ children: [{ children: [{}] }] }, (node) => node.children.map((one) => one.tag.name)),
  "payload without detail": () => publish("cart.add", {}),
  "nothing to remove": () => publish("remove", { items: [] }),
  "handler missing": () => publish("clear", {}),
  "called through bind": () => onSubmit.bind(null, { target: {} })(),
  "called through apply": () => Reflect.apply(handlers.remove, null, [{}]),
  "constant changed": () => {
    "use strict";
    Object.freeze(handlers).remove = null;
  },
  "too many digits": () => (1.5).toFixed(400),
  "bad length": () => new Array(-1),
  "symbol as text": () => `${Symbol("a")}`,
  "not iterable": () => new Map([1]),
  "payment declined": () => {
    throw new Error("Payment declined");
  },
};

const ASYNC_BUGS = {
  "stock missing": () => refresh([1]).catch((error) => Sentry.captureException(error)),
  "in a timer": () => later(() => new Cart(null).sorted()),
  "in a microtask": () => Promise.resolve([null]).then((list) => list.map((one) => one.id)).catch((error) => Sentry.captureException(error)),
};

async function run() {
  for (const [name, work] of Object.entries(BUGS)) {
    bug = name;
    attempt(work);
  }
  for (const [name, work] of Object.entries(ASYNC_BUGS)) {
    bug = name;
    await work();
  }
  bug = "in a listener";
  const button = document.createElement("button");
  button.addEventListener("click", function (event) {
    event.detail.missing.value();
  });
  button.click();
  await new Promise((resolve) => setTimeout(resolve, 50));
  bug = "rejected with text";
  Promise.reject("no connection");
  await new Promise((resolve) => setTimeout(resolve, 100));
  await fetch("/events", { method: "POST", body: JSON.stringify(events) });
}

run();
