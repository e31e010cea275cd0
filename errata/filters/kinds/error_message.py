"""Errors by their message, as people write it down."""

from errata.filters.globs import any_glob, problem_of_glob
from errata.filters.inbound_filter import ERRORS, EntryList, InboundFilter
from errata.filters.incoming_event import IncomingEvent


def matches(event: IncomingEvent, entries: tuple[str, ...]) -> bool:
    return bool(entries) and any(map(any_glob(entries), event.messages))


FILTER = InboundFilter(
    "error-message",
    "Error messages",
    "Errors whose message, or “Type: message”, matches one of the patterns.",
    ERRORS,
    matches,
    EntryList(
        "Patterns of messages",
        "* matches any text; case is ignored.",
        "*ResizeObserver loop*",
        problem_of_glob,
    ),
)
