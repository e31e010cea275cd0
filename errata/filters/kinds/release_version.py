"""Events of releases that nobody looks after any more."""

from errata.filters.globs import any_glob, problem_of_glob
from errata.filters.inbound_filter import ALL_TYPES, EntryList, InboundFilter
from errata.filters.incoming_event import IncomingEvent


def matches(event: IncomingEvent, entries: tuple[str, ...]) -> bool:
    return bool(entries and event.release) and any_glob(entries)(event.release)


FILTER = InboundFilter(
    "release-version",
    "Releases",
    "Events of releases that match one of the patterns.",
    ALL_TYPES,
    matches,
    EntryList(
        "Patterns of releases",
        "* matches any text; case is ignored.",
        "shop@1.*",
        problem_of_glob,
    ),
)
