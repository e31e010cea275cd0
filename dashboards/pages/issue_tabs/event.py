"""One event of the issue: that of the address, else the newest that is kept."""

from uuid import UUID

from fastapi import HTTPException

from dashboards.event import event as shown_event
from dashboards.event_text import event_text
from dashboards.event_ways import ways
from dashboards.pages.issue_asked import Asked
from dashboards.pages.issue_tabs.tab import Found, Tab
from dashboards.questions import both
from errata.warehouse.queries.events import Event, event_by_id, events_of_issue, neighbours_of_event
from errata.warehouse.queries.issue import issue_tags

NO_EVENT = "This issue has no such event, or it is not kept any more."


def _ask(asked: Asked) -> Found:
    event = chosen_event(asked)
    tags, neighbours = both(
        lambda: issue_tags(asked.warehouse, asked.project.id, asked.head.issue_id),
        lambda: neighbours_of_event(asked.warehouse, event) if event else None,
    )
    shown = shown_event(event.payload) if event else None
    values = {
        "event": shown,
        "occurred_at": event.occurred_at if event else None,
        "is_clock_corrected": bool(event and event.is_clock_corrected),
        "text": event_text(shown) if shown else "",
        "tag_values": tags,
        "refresh_address": asked.view.address(event=event.id) if event else "",
        "ways": ways(asked.view, event, neighbours) if event and neighbours else [],
    }
    return Found(values, state=neighbours)


def chosen_event(asked: Asked) -> Event | None:
    projects = [asked.project.id]
    if asked.view["event"]:
        event = event_by_id(asked.warehouse, projects, _uuid(asked.view["event"]))
        if event is None or event.issue_id != asked.head.issue_id:
            raise HTTPException(404, NO_EVENT)
        return event
    newest = events_of_issue(asked.warehouse, asked.project.id, asked.head.issue_id, limit=1).events
    return event_by_id(asked.warehouse, projects, newest[0].event_id) if newest else None


def _uuid(event_id: str) -> UUID:
    try:
        return UUID(event_id)
    except ValueError:
        raise HTTPException(404, NO_EVENT) from None


TAB = Tab("event", "Event", "issue_tabs/event.html", _ask)
