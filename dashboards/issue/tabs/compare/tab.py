"""Two events of the issue beside each other."""

from dashboards.issue.event_address import event_by_id
from dashboards.issue.request import IssueRequest
from dashboards.issue.tab import Found, Tab
from dashboards.issue.tabs.compare.view import choices
from errata.comparison import compared
from errata.warehouse.at_once import all_three
from errata.warehouse.queries.issue.events import Event, events_of_issue

MOST_OFFERED = 50


def _fetch_pair(request: IssueRequest) -> Found:
    offered, left, right = all_three(
        lambda: events_of_issue(request.warehouse, request.head.merged, limit=MOST_OFFERED).events,
        lambda: _event(request, request.view["left"]),
        lambda: _event(request, request.view["right"]),
    )
    newest = [event.event_id.hex for event in offered[:2]]
    left, right = left or _event(request, *newest[-1:]), right or _event(request, *newest[:1])
    only = request.view["rows"] != "all"
    values = {
        "left": left,
        "right": right,
        "left_choices": choices(offered, left),
        "right_choices": choices(offered, right),
        "sections": compared(left.payload, right.payload) if left and right else [],
        "is_only_different": only,
        "swapped_address": _address(request, left=right, right=left),
        "other_address": _address(request, left, right, rows="all" if only else ""),
        "event_addresses": [
            request.view.address(tab="", left="", right="", rows="", event=event.id)
            for event in (left, right)
            if event
        ],
    }
    return Found(values, state=(left and left.id, right and right.id))


def _event(request: IssueRequest, event_id: str = "") -> Event | None:
    return event_by_id(request, event_id) if event_id else None


def _address(request: IssueRequest, left: Event | None, right: Event | None, **others: str) -> str:
    sides = {"left": left.id if left else "", "right": right.id if right else ""}
    return request.view.address(**sides, **others)


TAB = Tab(
    "compare",
    "Compare",
    "issue/tabs/compare/compare.html",
    _fetch_pair,
    names=("left", "right", "rows"),
    styles=("event.css",),
    scripts=("tables.js",),
    is_listed=False,
)
