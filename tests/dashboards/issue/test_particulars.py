from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from dashboards.issue.tabs.events.particulars import particulars
from errata.warehouse.queries.issue.events import EventRow, User

NOW = datetime(2026, 11, 21, tzinfo=UTC)


def a_row(**values: Any) -> EventRow:
    texts = (
        *("environment", "release", "level", "message", "transaction", "server_name", "service"),
        *("browser", "os", "request_method", "request_url"),
    )
    fields: dict[str, Any] = dict.fromkeys(texts, "") | {"tags": {}, "is_clock_corrected": False}
    fields |= {"event_id": uuid4(), "occurred_at": NOW, "received_at": NOW}
    fields |= {"user": User("", "", "", ""), "user_hash": 0}
    return EventRow(**{**fields, **values})


def test_what_most_events_share_is_not_particular_and_the_rarest_comes_first() -> None:
    rows = [
        a_row(browser="Chrome", os=os, tags={"plan": plan}, request_url=f"https://shop/{path}?q=1")
        for os, plan, path in (
            ("Linux", "free", 1),
            ("Linux", "free", 2),
            ("macOS", "free", 3),
            ("iOS", "team", 4),
        )
    ]
    assert particulars(rows) == [
        (("os", "Linux"), ("url", "/1")),
        (("os", "Linux"), ("url", "/2")),
        (("os", "macOS"), ("url", "/3")),
        (("os", "iOS"), ("plan", "team"), ("url", "/4")),
    ]


def test_a_single_event_has_nothing_to_be_told_apart_from() -> None:
    assert particulars([a_row(browser="Chrome")]) == [()]
    assert particulars([]) == []
