"""Steps from one event of an issue to the others."""

from dataclasses import dataclass
from uuid import UUID

from dashboards.issue.event_address import event_address
from dashboards.shared.addresses import View
from errata.warehouse.queries.issue.events import Event, Neighbours


@dataclass(frozen=True, slots=True)
class Way:
    """A step to another event; `address` is empty where there is no other."""

    name: str
    address: str
    rel: str = ""
    key: str = ""


def ways(view: View, event: Event, neighbours: Neighbours) -> list[Way]:
    """The latest event has no id in its address: tomorrow the same link shows the latest of then."""
    is_newest = neighbours.newest in (None, event.event_id)
    is_oldest = neighbours.oldest in (None, event.event_id)
    return [
        Way("First", "" if is_oldest else event_address(view, neighbours.oldest), key="g f"),
        Way("Older", event_address(view, neighbours.older), "prev", key="p"),
        Way("Newer", event_address(view, neighbours.newer), "next", key="n"),
        Way("Latest", "" if is_newest else view.address(event=""), key="g l"),
    ]


def most_detailed_address(view: View, event: Event, most_detailed: UUID | None) -> str:
    """Empty if it is the event shown."""
    return "" if most_detailed in (None, event.event_id) else event_address(view, most_detailed)
