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
    hint: str = ""


def ways(view: View, event: Event, neighbours: Neighbours, most_telling: UUID | None) -> list[Way]:
    """The newest event has no id in its address: tomorrow the same link shows the newest of then."""
    is_newest = neighbours.newest in (None, event.event_id)
    is_oldest = neighbours.oldest in (None, event.event_id)
    return [
        Way("First", "" if is_oldest else event_address(view, neighbours.oldest), key="g f"),
        Way("Previous", event_address(view, neighbours.older), "prev", key="p"),
        Way("Next", event_address(view, neighbours.newer), "next", key="n"),
        Way("Last", "" if is_newest else view.address(event=""), key="g l"),
        Way(
            "Most detailed",
            "" if most_telling == event.event_id else event_address(view, most_telling),
            key="g m",
            hint="The most detailed of the latest 100 events: variables, source, request, breadcrumbs, user",
        ),
    ]
