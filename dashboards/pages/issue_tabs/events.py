"""All events of the issue, newest first, a page at a time."""

from dashboards.event_ways import listed
from dashboards.pages.issue_asked import Asked
from dashboards.pages.issue_tabs.tab import Found, Tab
from errata.warehouse.queries.events import events_of_issue


def _ask(asked: Asked) -> Found:
    view = asked.view
    found = events_of_issue(asked.warehouse, asked.project.id, asked.head.issue_id, cursor=view["cursor"])
    values = {
        "events": [listed(view, row) for row in found.events],
        "next_address": view.address(cursor=found.next_cursor) if found.next_cursor else "",
        "first_address": view.address() if view["cursor"] else "",
    }
    return Found(values, state=found)


TAB = Tab("events", "Events", "issue_tabs/events.html", _ask)
