"""The events of the issue, newest first, a page at a time, filtered by the address."""

from dataclasses import replace

from dashboards.issue.request import IssueRequest
from dashboards.issue.tab import Found, Tab
from dashboards.issue.tabs.events.particulars import particulars
from dashboards.issue.tabs.events.view import listed
from errata.warehouse.queries.issue.events import EventFilters, events_of_issue

FILTERS = ("environment", "release", "user", "words")


def _fetch_events(request: IssueRequest) -> Found:
    view = request.view
    filters = _within(
        request, EventFilters(view["environment"], view["release"], view["user"], view["words"])
    )
    found = events_of_issue(request.warehouse, request.head.merged, cursor=view["cursor"], filters=filters)
    offered = {tag.tag: [value for value, _ in tag.values] for tag in request.head.tags}
    rows = zip(found.events, particulars(found.events), strict=True)
    values = {
        "events": [listed(view, request.project.slug, row, particular) for row, particular in rows],
        "environments": offered.get("environment", []),
        "releases": offered.get("release", []),
        "is_narrowed": request.period.is_interval or any(view[name] for name in FILTERS),
        "whole_address": view.address(**dict.fromkeys(FILTERS, ""), period=""),
        "next_address": view.address(cursor=found.next_cursor) if found.next_cursor else "",
        "first_address": view.address() if view["cursor"] else "",
    }
    return Found(values, state=found)


def _within(request: IssueRequest, filters: EventFilters) -> EventFilters:
    """The list of a period back from now goes on before it; that of an interval is of the interval."""
    if not request.period.is_interval:
        return filters
    chosen = request.period.of_events(request.page.now)
    return replace(filters, since=chosen.since, until=chosen.until)


TAB = Tab(
    "events",
    "Events",
    "issue/tabs/events/events.html",
    _fetch_events,
    question="events_in_detail",
    names=FILTERS,
    styles=("event.css",),
)
