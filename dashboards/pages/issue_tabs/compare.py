"""Two events of the issue beside each other."""

from dashboards.comparing import choices
from dashboards.pages.issue_asked import Asked
from dashboards.pages.issue_tabs.event import chosen_by_id
from dashboards.pages.issue_tabs.tab import Found, Tab
from errata.comparison import compared
from errata.warehouse.at_once import all_three
from errata.warehouse.queries.issue.events import Event, events_of_issue

MOST_OFFERED = 50


def _ask(asked: Asked) -> Found:
    offered, left, right = all_three(
        lambda: events_of_issue(asked.warehouse, asked.head.merged, limit=MOST_OFFERED).events,
        lambda: _event(asked, asked.view["left"]),
        lambda: _event(asked, asked.view["right"]),
    )
    newest = [event.event_id.hex for event in offered[:2]]
    left, right = left or _event(asked, *newest[-1:]), right or _event(asked, *newest[:1])
    only = asked.view["rows"] != "all"
    values = {
        "left": left,
        "right": right,
        "left_choices": choices(offered, left),
        "right_choices": choices(offered, right),
        "sections": compared(left.payload, right.payload) if left and right else [],
        "is_only_different": only,
        "swapped_address": _address(asked, left=right, right=left),
        "other_address": _address(asked, left, right, rows="all" if only else ""),
        "event_addresses": [
            asked.view.address(tab="", left="", right="", rows="", event=event.id)
            for event in (left, right)
            if event
        ],
    }
    return Found(values, state=(left and left.id, right and right.id))


def _event(asked: Asked, event_id: str = "") -> Event | None:
    return chosen_by_id(asked, event_id) if event_id else None


def _address(asked: Asked, left: Event | None, right: Event | None, **others: str) -> str:
    sides = {"left": left.id if left else "", "right": right.id if right else ""}
    return asked.view.address(**sides, **others)


TAB = Tab(
    "compare",
    "Compare",
    "issue_tabs/compare.html",
    _ask,
    names=("left", "right", "rows"),
    styles=("event.css",),
    is_listed=False,
)
