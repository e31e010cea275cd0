"""From one event of an issue to the others."""

from dataclasses import dataclass
from uuid import UUID

from dashboards.addresses import View
from errata.warehouse.queries.events import Event, EventRow, Neighbours


@dataclass(frozen=True, slots=True)
class Way:
    """A step to another event; without an address there is none."""

    name: str
    address: str
    rel: str = ""


@dataclass(frozen=True, slots=True)
class ListedEvent:
    event_id: str
    address: str
    row: EventRow
    person: str


def ways(view: View, event: Event, neighbours: Neighbours) -> list[Way]:
    """The newest has no id in its address: tomorrow the same link shows the newest of then."""
    is_newest = neighbours.newest in (None, event.event_id)
    is_oldest = neighbours.oldest in (None, event.event_id)
    return [
        Way("Oldest", "" if is_oldest else _address(view, neighbours.oldest)),
        Way("Older", _address(view, neighbours.older), "prev"),
        Way("Newer", _address(view, neighbours.newer), "next"),
        Way("Latest", "" if is_newest else view.address(event="")),
    ]


def listed(view: View, row: EventRow) -> ListedEvent:
    person = row.user.email or row.user.name or row.user.id or row.user.ip
    return ListedEvent(row.id, _address(view, row.event_id), row, person)


def _address(view: View, event_id: UUID | None) -> str:
    return view.address(event=event_id.hex, tab="") if event_id else ""
