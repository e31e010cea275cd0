"""Particulars of events: values that most of the other events do not share."""

from collections import Counter
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from errata.warehouse.queries.issue.events import EventRow

MOST_SHOWN = 3
# Known of every event by other columns, or another at each event without telling anything.
NOT_TOLD = frozenset({"environment", "release", "level", "replayId"})

Particulars = tuple[tuple[str, str], ...]


def particulars(rows: Sequence[EventRow]) -> list[Particulars]:
    """The rarest first; names with another value at every event say least and come last."""
    fields_of_rows = [dict(_fields(row)) for row in rows]
    shares = Counter((name, value) for fields in fields_of_rows for name, value in fields.items())
    values = Counter(name for name, _ in shares)
    names = Counter(name for fields in fields_of_rows for name in fields)

    def rank(field: tuple[str, str]) -> tuple[bool, int, str]:
        name = field[0]
        return values[name] == names[name] > 2, shares[field], name

    def is_particular(field: tuple[str, str]) -> bool:
        return 2 * shares[field] <= len(rows)

    return [
        tuple(sorted(filter(is_particular, fields.items()), key=rank)[:MOST_SHOWN])
        for fields in fields_of_rows
    ]


def _fields(row: EventRow) -> Iterator[tuple[str, str]]:
    fields = {
        **{name: value for name, value in row.tags.items() if name not in NOT_TOLD},
        "service": row.service,
        "server": row.server_name,
        "transaction": row.transaction,
        "url": _path(row.request_url),
        "browser": row.browser,
        "os": row.os,
    }
    yield from ((name, value) for name, value in fields.items() if value)


def _path(url: str) -> str:
    try:
        return urlsplit(url).path
    except ValueError:
        return url
