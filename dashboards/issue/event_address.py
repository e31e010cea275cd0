"""The event that an address names, and the address of an event."""

from uuid import UUID

from fastapi import HTTPException

from dashboards.issue.request import IssueRequest
from dashboards.shared.addresses import View
from errata.warehouse.queries.issue.events import Event, event_of_issue, newest_event

NO_EVENT = "This event isn't part of the issue, or it has been deleted."


def chosen_event(request: IssueRequest) -> Event | None:
    """The event of the address, else the newest that is kept."""
    if request.view["event"]:
        return event_by_id(request, request.view["event"])
    return newest_event(request.warehouse, request.head.merged, request.head.counts)


def event_by_id(request: IssueRequest, event_id: str) -> Event:
    event = event_of_issue(request.warehouse, request.head.merged, _uuid(event_id))
    if event is None:
        raise HTTPException(404, NO_EVENT)
    return event


def event_address(view: View, event_id: UUID | None) -> str:
    """The address keeps the period, and no filter of a list."""
    kept = {name: "" for name in view.values if name != "period"}
    return view.address(**{**kept, "event": event_id.hex}) if event_id else ""


def _uuid(event_id: str) -> UUID:
    try:
        return UUID(event_id)
    except ValueError:
        raise HTTPException(404, NO_EVENT) from None
