/* The front page remembers when somebody was here last. */
import "./shop.js";

const visits = JSON.parse(localStorage.getItem("visits") || "[]");
visits.push(Date.now());
localStorage.setItem("visits", JSON.stringify(visits.slice(-20)));
Sentry.setContext("visits", { count: visits.length });
