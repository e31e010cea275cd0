"""The events offered to be compared."""

from collections.abc import Sequence
from dataclasses import dataclass

from errata.reports import formats
from errata.warehouse.queries.issue.events import Event, EventRow

LONGEST_PERSON = 40


@dataclass(frozen=True, slots=True)
class Choice:
    event_id: str
    words: str
    is_chosen: bool


def choices(offered: Sequence[EventRow], chosen: Event | None) -> list[Choice]:
    """The chosen event is among them, however old."""
    found = [Choice(row.id, _words(row), chosen is not None and row.id == chosen.id) for row in offered]
    if chosen and not any(choice.is_chosen for choice in found):
        found.append(Choice(chosen.id, _words(chosen), True))
    return found


def _words(event: EventRow | Event) -> str:
    person = ""
    if isinstance(event, EventRow):
        user = event.user
        person = (user.email or user.name or user.id or user.ip)[:LONGEST_PERSON]
    facts = (
        f"{formats.short_day(event.occurred_at)}, {formats.clock(event.occurred_at)}",
        event.id[:8],
        event.environment,
        event.release,
        person,
    )
    return " · ".join(filter(None, facts))
