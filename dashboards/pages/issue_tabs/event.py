"""One event of the issue: that of the address, else the newest that is kept."""

from uuid import UUID

from fastapi import HTTPException

from api.regrouping import grouping_in_force
from dashboards.event import event as shown_event
from dashboards.event_markdown import event_markdown
from dashboards.event_text import event_text
from dashboards.event_ways import ways
from dashboards.pages.issue_asked import Asked
from dashboards.pages.issue_tabs.tab import Found, Tab
from errata.grouping.in_app import with_in_app_of
from errata.warehouse.at_once import both
from errata.warehouse.queries.issue.events import (
    Event,
    Neighbours,
    event_of_issue,
    most_telling_event,
    neighbours_of_event,
    newest_event,
)
from errata.warehouse.queries.issue.replay import Recording, recording_of_replay

NO_EVENT = "This event isn't part of the issue, or it has been deleted."


def _ask(asked: Asked) -> Found:
    event = chosen_event(asked)
    head = asked.head
    neighbours, (recording, most_telling) = both(
        lambda: neighbours_of_event(asked.warehouse, head.merged, head.counts, event) if event else None,
        lambda: (
            _recording(asked, event),
            most_telling_event(asked.warehouse, head.merged, head.counts),
        ),
    )
    rules = grouping_in_force(asked.context.state, asked.project.id).rules
    shown = shown_event(with_in_app_of(rules, event.payload), event.service) if event else None
    values = {
        "event": shown,
        "occurred_at": event.occurred_at if event else None,
        "is_clock_corrected": bool(event and event.is_clock_corrected),
        "text": event_text(shown) if shown else "",
        "markdown": event_markdown(shown, _link(asked, event)) if shown and event else "",
        "tag_values": head.tags,
        "recording": recording,
        "refresh_address": asked.view.address(event=event.id) if event else "",
        "ways": ways(asked.view, event, neighbours, most_telling) if event and neighbours else [],
        "compare_address": _compare_address(asked, event, neighbours) if event and neighbours else "",
    }
    return Found(values, state=(neighbours, recording, most_telling))


def _compare_address(asked: Asked, event: Event, neighbours: Neighbours) -> str:
    """With the event before it, else the one after; empty where it is the only one."""
    other = neighbours.older or neighbours.newer
    return asked.view.address(tab="compare", event="", left=other.hex, right=event.id) if other else ""


def _recording(asked: Asked, event: Event | None) -> Recording | None:
    if event is None or event.replay_id is None:
        return None
    return recording_of_replay(asked.warehouse, asked.project.id, event.replay_id)


def _link(asked: Asked, event: Event) -> str:
    """From anywhere; under the address that people of this service know it by."""
    return f"{asked.context.base_url}{asked.view.address(event=event.id, tab='', period='')}"


def chosen_event(asked: Asked) -> Event | None:
    if asked.view["event"]:
        return chosen_by_id(asked, asked.view["event"])
    return newest_event(asked.warehouse, asked.head.merged, asked.head.counts)


def chosen_by_id(asked: Asked, event_id: str) -> Event:
    event = event_of_issue(asked.warehouse, asked.head.merged, _uuid(event_id))
    if event is None:
        raise HTTPException(404, NO_EVENT)
    return event


def _uuid(event_id: str) -> UUID:
    try:
        return UUID(event_id)
    except ValueError:
        raise HTTPException(404, NO_EVENT) from None


TAB = Tab("event", "Event", "issue_tabs/event.html", _ask, styles=("event.css",), scripts=("event.js",))
