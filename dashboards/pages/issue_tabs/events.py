"""The events of the issue, newest first, a page at a time, narrowed by what the address says."""

from dashboards.event_ways import listed
from dashboards.pages.issue_asked import Asked
from dashboards.pages.issue_tabs.tab import Found, Tab
from dashboards.particulars import particulars
from errata.warehouse.queries.issue.events import EventFilters, events_of_issue

FILTERS = ("environment", "release", "user", "words")


def _ask(asked: Asked) -> Found:
    view = asked.view
    filters = EventFilters(**{name: view[name] for name in FILTERS})
    found = events_of_issue(asked.warehouse, asked.head.merged, cursor=view["cursor"], filters=filters)
    offered = {tag.tag: [value for value, _ in tag.values] for tag in asked.head.tags}
    rows = zip(found.events, particulars(found.events), strict=True)
    values = {
        "events": [listed(view, row, particular) for row, particular in rows],
        "environments": offered.get("environment", []),
        "releases": offered.get("release", []),
        "is_narrowed": any(view[name] for name in FILTERS),
        "whole_address": view.address(**dict.fromkeys(FILTERS, "")),
        "next_address": view.address(cursor=found.next_cursor) if found.next_cursor else "",
        "first_address": view.address() if view["cursor"] else "",
    }
    return Found(values, state=found)


TAB = Tab("events", "Events", "issue_tabs/events.html", _ask, names=FILTERS, styles=("event.css",))
