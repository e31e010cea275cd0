"""What a kind of inbound filter says about itself; a kind is one file of `errata/filters/kinds`."""

from collections.abc import Callable
from dataclasses import dataclass

from errata.filters.incoming_event import IncomingEvent

ERRORS = frozenset({"event"})
PERFORMANCE = frozenset({"transaction", "span"})
ALL_TYPES = ERRORS | PERFORMANCE


@dataclass(frozen=True, slots=True)
class EntryList:
    """The list that people fill in for a filter. `problem_of` returns why an entry cannot be used, or an
    empty text. `is_optional`: the filter has entries of its own, and those of people are added."""

    label: str
    hint: str
    example: str
    problem_of: Callable[[str], str]
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class InboundFilter:
    """`matches` is given an event and the entries of the project; `about` is a sentence for people."""

    kind: str
    label: str
    about: str
    item_types: frozenset[str]
    matches: Callable[[IncomingEvent, tuple[str, ...]], bool]
    entries: EntryList | None = None
