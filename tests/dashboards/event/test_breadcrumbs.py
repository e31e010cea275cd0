from typing import Any

from dashboards.event.breadcrumbs import breadcrumbs, kind_counts
from tests.cases import each


@each(
    ("sent", "kind", "message"),
    [
        ({"category": "ui.click", "message": "button#buy"}, "ui", "button#buy"),
        ({"category": "navigation", "data": {"from": "/a", "to": "/b"}}, "navigation", "/a → /b"),
        (
            {"type": "http", "category": "fetch", "data": {"method": "GET", "url": "/x", "status_code": 500}},
            "http",
            "GET /x [500]",
        ),
        ({"category": "console", "message": "hm"}, "console", "hm"),
        ({"category": "shop", "type": "log", "message": "hm"}, "console", "hm"),
        ({"category": "sentry.event", "message": "Error: x"}, "error", "Error: x"),
        ({"category": "xhr", "type": "http", "message": "hm"}, "http", "hm"),
        ({"category": "httplib", "message": "hm"}, "http", "hm"),
        ({"category": "exception", "message": "hm"}, "error", "hm"),
        ({"category": "cache", "message": "miss"}, "cache", "miss"),
        ({"category": "query", "type": "debug", "message": "SELECT 1"}, "query", "SELECT 1"),
        ({"category": "sentry.transaction", "message": "a"}, "sentry.transaction", "a"),
    ],
)
def test_each_breadcrumb_falls_into_a_category_to_filter_by(
    sent: dict[str, Any], kind: str, message: str
) -> None:
    (shown,) = breadcrumbs({"breadcrumbs": {"values": [sent]}})
    assert (shown.kind, shown.message) == (kind, message)


def test_the_newest_comes_last_and_one_without_a_time_keeps_its_place() -> None:
    sent = [
        {"message": "second", "timestamp": "2026-11-21T10:00:02Z"},
        {"message": "after second"},
        {"message": "first", "timestamp": 1795255201.0},
    ]
    assert [crumb.message for crumb in breadcrumbs({"breadcrumbs": sent})] == [
        "first",
        "second",
        "after second",
    ]


def test_categories_are_counted_for_the_filter() -> None:
    sent = ["auth", "query", "http", "fetch", "ui.click", "query"]
    shown = breadcrumbs({"breadcrumbs": [{"category": word} for word in sent]})
    assert kind_counts(shown) == [("http", 2), ("ui", 1), ("query", 2), ("auth", 1)]
