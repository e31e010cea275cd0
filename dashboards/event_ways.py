"""From one event of an issue to the others."""

from dataclasses import dataclass
from uuid import UUID

from dashboards.particulars import Particulars
from dashboards.shared.addresses import View
from errata.warehouse.queries.issue.events import Event, EventRow, Neighbours


@dataclass(frozen=True, slots=True)
class Way:
    """A step to another event; without an address there is none."""

    name: str
    address: str
    rel: str = ""
    key: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class ListedEvent:
    event_id: str
    address: str
    row: EventRow
    person: str
    particulars: Particulars


def ways(view: View, event: Event, neighbours: Neighbours, most_telling: UUID | None) -> list[Way]:
    """The newest has no id in its address: tomorrow the same link shows the newest of then."""
    is_newest = neighbours.newest in (None, event.event_id)
    is_oldest = neighbours.oldest in (None, event.event_id)
    return [
        Way("First", "" if is_oldest else _address(view, neighbours.oldest), key="g f"),
        Way("Previous", _address(view, neighbours.older), "prev", key="p"),
        Way("Next", _address(view, neighbours.newer), "next", key="n"),
        Way("Last", "" if is_newest else view.address(event=""), key="g l"),
        Way(
            "Most detailed",
            "" if most_telling == event.event_id else _address(view, most_telling),
            key="g m",
            hint="The most detailed of the latest 100 events: variables, source, request, breadcrumbs, user",
        ),
    ]


def listed(view: View, row: EventRow, particulars: Particulars) -> ListedEvent:
    person = row.user.email or row.user.name or row.user.id or row.user.ip
    return ListedEvent(row.id, _address(view, row.event_id), row, person, particulars)


def _address(view: View, event_id: UUID | None) -> str:
    """The event's page keeps the period, and no filter of a list."""
    kept = {name: "" for name in view.values if name != "period"}
    return view.address(**{**kept, "event": event_id.hex}) if event_id else ""
