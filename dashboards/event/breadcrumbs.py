"""Breadcrumbs of an event: time, category, message; newest last."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from dashboards.event.shapes import first_text, mapping, moment, text, values
from dashboards.event.trees import Node, tree

KINDS = ("navigation", "http", "ui", "console", "error")
# The SDKs' many words for the five. What is in none of them keeps its own: query, cache, auth, …
FAMILIES = {
    "navigation": "navigation",
    "history": "navigation",
    "http": "http",
    "httplib": "http",
    "fetch": "http",
    "xhr": "http",
    "ui": "ui",
    "touch": "ui",
    "console": "console",
    "log": "console",
    "logger": "console",
    "logging": "console",
    "error": "error",
    "exception": "error",
}
# Told by the entry's type where its category says nothing: a logger's entry is named after the logger.
TYPES = {
    "navigation": "navigation",
    "http": "http",
    "ui": "ui",
    "user": "ui",
    "error": "error",
    "log": "console",
}
LONGEST_CATEGORY = 100
MOST_BREADCRUMBS = 500


@dataclass(frozen=True, slots=True)
class Breadcrumb:
    """`kind` is the category to filter by, one of five or a word of the SDK's; `category` the word sent."""

    at: datetime | None
    kind: str
    category: str
    level: str
    message: str
    details: tuple[Node, ...]
    is_event_itself: bool = False


def breadcrumbs(payload: dict[str, object]) -> list[Breadcrumb]:
    sent = [mapping(value) for value in values(payload.get("breadcrumbs"))]
    shown = [_breadcrumb(raw) for raw in sent if raw][-MOST_BREADCRUMBS:]
    # A stable sort: entries without a time keep their place after the one before them.
    latest = 0.0
    keyed = []
    for crumb in shown:
        latest = crumb.at.timestamp() if crumb.at else latest
        keyed.append((latest, crumb))
    keyed.sort(key=lambda pair: pair[0])
    return [crumb for _, crumb in keyed]


def with_event(crumbs: list[Breadcrumb], at: datetime | None, title: str) -> list[Breadcrumb]:
    """The breadcrumbs, and the event itself as the last."""
    return [*crumbs, Breadcrumb(at, "error", "exception", "error", title, (), is_event_itself=True)]


def kind_counts(crumbs: list[Breadcrumb]) -> list[tuple[str, int]]:
    """The five first, then the SDK's own words, the commonest first."""
    counts = Counter(crumb.kind for crumb in crumbs)
    others = sorted((kind for kind in counts if kind not in KINDS), key=lambda kind: (-counts[kind], kind))
    return [(kind, counts[kind]) for kind in (*KINDS, *others) if counts[kind]]


def _breadcrumb(raw: dict[str, object]) -> Breadcrumb:
    category = (first_text(raw.get("category"), raw.get("type")) or "default")[:LONGEST_CATEGORY]
    data = mapping(raw.get("data"))
    kind = _kind(raw, category)
    message = text(raw.get("message")) or _message(kind, data)
    hidden = {"__span"}
    details = tuple(tree(item, text(name)) for name, item in data.items() if name not in hidden)
    return Breadcrumb(moment(raw.get("timestamp")), kind, category, text(raw.get("level")), message, details)


def _kind(raw: dict[str, object], category: str) -> str:
    word = category.lower()
    if word == "sentry.event":
        return "error"
    return FAMILIES.get(word.split(".", 1)[0]) or TYPES.get(text(raw.get("type"))) or category


def _message(kind: str, data: dict[str, object]) -> str:
    if kind == "navigation" and (data.get("to") or data.get("from")):
        return f"{text(data.get('from'))} → {text(data.get('to'))}"
    if kind == "http" and data.get("url"):
        method = first_text(data.get("method"), data.get("http.request.method"), data.get("http.method"))
        status = first_text(data.get("status_code"), data.get("http.response.status_code"))
        parts = [method, text(data.get("url")), f"[{status}]" if status else ""]
        return " ".join(filter(None, parts))
    return ", ".join(f"{name}: {text(item)}" for name, item in list(data.items())[:4])
