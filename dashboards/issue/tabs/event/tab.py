"""One event of the issue: the event of the address, else the newest that is kept."""

from collections.abc import Sequence

from errata_wire.log_levels import LEVELS

from api.regrouping import grouping_in_force
from dashboards.event.event import Event as ShownEvent
from dashboards.event.event import event as shown_event
from dashboards.event.markdown import event_markdown
from dashboards.event.text import event_text
from dashboards.issue.event_address import chosen_event
from dashboards.issue.request import IssueRequest
from dashboards.issue.tab import Found, Tab
from dashboards.issue.tabs.event.view import most_detailed_address, ways
from dashboards.shared.addresses import user_address
from errata.grouping import GroupingRules
from errata.grouping.in_app import with_in_app_of
from errata.places import ERASURE, SOURCE_MAPS
from errata.state.users import Role
from errata.warehouse.at_once import all_three
from errata.warehouse.queries.issue.attachments import Attachment, attachments_of
from errata.warehouse.queries.issue.events import (
    Event,
    Neighbours,
    most_telling_event,
    neighbours_of_event,
)
from errata.warehouse.queries.issue.logs import EventLogs, LogFilters, logs_beside_event
from errata.warehouse.queries.replays.replay import Replay, replay_by_id

QUERY_MAX_LENGTH = 200
LOG_FILTERS = ("log_level", "log_query")
# What a link to an event leaves out.
UNSET = dict.fromkeys(("tab", "period", *LOG_FILTERS), "")


def _fetch_event(request: IssueRequest) -> Found:
    event = chosen_event(request)
    head = request.head
    neighbours, (replay, most_telling), (logs, attachments) = all_three(
        lambda: neighbours_of_event(request.warehouse, head.merged, head.counts, event) if event else None,
        lambda: (
            _replay(request, event),
            most_telling_event(request.warehouse, head.merged, head.counts),
        ),
        lambda: (_logs(request, event), _attachments(request, event)),
    )
    rules = grouping_in_force(request.context.state, request.project.id).rules
    shown = _shown(rules, event) if event else None
    values = {
        "event": shown,
        "occurred_at": event.occurred_at if event else None,
        "is_clock_corrected": bool(event and event.is_clock_corrected),
        "has_payload": event is None or event.has_payload,
        "text": event_text(shown) if shown else "",
        "markdown": event_markdown(shown, _link(request, event)) if shown and event else "",
        "tag_values": head.tags,
        "person_address": user_address(request.project.slug, event.user_hash) if event else "",
        "replay_id": event.replay_id.hex if event and event.replay_id else "",
        "replay": replay,
        "replay_address": _replay_address(request, event) if replay and event else "",
        "logs": logs,
        "attachments": attachments,
        "levels": LEVELS,
        "refresh_address": request.view.address(event=event.id) if event else "",
        "ways": ways(request.view, event, neighbours) if event and neighbours else [],
        "most_detailed_address": most_detailed_address(request.view, event, most_telling) if event else "",
        "erasure_address": _erasure_address(request, event) if event else "",
        "suspects_address": f"/projects/{request.project.slug}/issues/{request.head.id}/suspect-commits",
        "source_maps_address": f"/projects/{request.project.slug}{SOURCE_MAPS.path}",
        "compare_address": _compare_address(request, event, neighbours) if event and neighbours else "",
    }
    return Found(values, state=(neighbours, replay, most_telling))


def _shown(rules: GroupingRules, event: Event) -> ShownEvent:
    return shown_event(with_in_app_of(rules, event.payload), event.service, event.mapped.unmapped)


def _compare_address(request: IssueRequest, event: Event, neighbours: Neighbours) -> str:
    """A comparison with the event before, else the one after; empty for an only event."""
    other = neighbours.older or neighbours.newer
    return request.view.address(tab="compare", event="", left=other.hex, right=event.id) if other else ""


def _replay(request: IssueRequest, event: Event | None) -> Replay | None:
    """None: the event names none, or nothing of it is stored."""
    if event is None or event.replay_id is None:
        return None
    return replay_by_id(request.warehouse, request.project.id, event.replay_id)


def _attachments(request: IssueRequest, event: Event | None) -> Sequence[Attachment]:
    if event is None:
        return ()
    return attachments_of(request.warehouse, request.project.id, [event.event_id])[event.event_id]


def _logs(request: IssueRequest, event: Event | None) -> EventLogs:
    filters = LogFilters(request.view["log_level"], request.view["log_query"][:QUERY_MAX_LENGTH])
    return logs_beside_event(request.warehouse, event, filters) if event else EventLogs()


def _replay_address(request: IssueRequest, event: Event) -> str:
    """The replay at the moment of the event."""
    assert event.replay_id is not None
    return f"/projects/{request.project.slug}/replays/{event.replay_id.hex}?event={event.id}"


def _erasure_address(request: IssueRequest, event: Event) -> str:
    """Empty for whoever may not erase."""
    is_owner = request.user.session.role is Role.OWNER
    return f"/projects/{request.project.slug}{ERASURE.path}?event={event.id}" if is_owner else ""


def _link(request: IssueRequest, event: Event) -> str:
    """The whole address of the event, for links from elsewhere."""
    return f"{request.context.base_url}{request.view.address(event=event.id, **UNSET)}"


TAB = Tab(
    "event",
    "Event",
    "issue/tabs/event/event.html",
    _fetch_event,
    question="issue_tags",
    styles=("event.css",),
    scripts=("event.js", "suspects.js"),
    names=LOG_FILTERS,
)
