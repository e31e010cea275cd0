customElements.define("shop-stamp", class extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({ mode: "open" });
    root.innerHTML = "<style>span { display: inline-block; padding: 6px 10px; border: 3px double #c8452f; color: #c8452f; transform: rotate(-4deg); }</style><span>Fresh</span>";
  }
});

const lines = document.getElementById("lines"), state = document.getElementById("state"), pay = document.getElementById("pay");
const sheet = document.head.appendChild(document.createElement("style")).sheet;

function put(name, price) {
  const line = document.createElement("li");
  line.className = "is-new";
  line.innerHTML = "<span></span><b></b>";
  line.firstChild.textContent = name;
  line.lastChild.textContent = price;
  lines.append(line);
  const total = document.getElementById("total");
  total.textContent = Number(total.textContent) + price;
}

put("Boskoop", 27);
setTimeout(() => {
  put("Cox Orange", 31);
  // A rule that no text of the page holds.
  sheet.insertRule(".total { border: 2px solid rgb(200, 69, 47); padding: 6px; }");
}, 700);

pay.addEventListener("click", function payNow() {
  const end = performance.now() + 120;
  while (performance.now() < end);
  pay.setAttribute("aria-busy", "true");
  pay.textContent = "Paying…";
  state.hidden = false;
  state.textContent = "Asking the bank";
  state.style.setProperty("color", "rgb(120, 60, 0)");
  setTimeout(() => {
    document.body.dataset.failed = "yes";
    setTimeout(() => { state.textContent = "Please pay at the gate, or try another card"; document.body.dataset.advised = "yes"; }, 3000);
    charge({ card: null });
  }, 400);
});

function charge(order) {
  return order.card.number;
}
