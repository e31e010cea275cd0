"""The events of the issue, newest first, a page at a time, filtered by the address."""

from dashboards.issue.request import IssueRequest
from dashboards.issue.tab import Found, Tab
from dashboards.issue.tabs.events.particulars import particulars
from dashboards.issue.tabs.events.view import listed
from errata.warehouse.queries.issue.events import EventFilters, events_of_issue

FILTERS = ("environment", "release", "user", "words")


def _fetch_events(request: IssueRequest) -> Found:
    view = request.view
    filters = EventFilters(**{name: view[name] for name in FILTERS})
    found = events_of_issue(request.warehouse, request.head.merged, cursor=view["cursor"], filters=filters)
    offered = {tag.tag: [value for value, _ in tag.values] for tag in request.head.tags}
    rows = zip(found.events, particulars(found.events), strict=True)
    values = {
        "events": [listed(view, request.project.slug, row, particular) for row, particular in rows],
        "environments": offered.get("environment", []),
        "releases": offered.get("release", []),
        "is_narrowed": any(view[name] for name in FILTERS),
        "whole_address": view.address(**dict.fromkeys(FILTERS, "")),
        "next_address": view.address(cursor=found.next_cursor) if found.next_cursor else "",
        "first_address": view.address() if view["cursor"] else "",
    }
    return Found(values, state=found)


TAB = Tab(
    "events",
    "Events",
    "issue/tabs/events/events.html",
    _fetch_events,
    question="events_in_detail",
    names=FILTERS,
    styles=("event.css",),
)
