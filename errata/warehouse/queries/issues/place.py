"""Where a page of the issue list begins, and the cursor that says so."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from errata.clock import EPOCH
from errata.warehouse.client import Row
from errata.warehouse.queries.cursor import cursor_text, cursor_values, unknown_cursor
from errata.warehouse.queries.edge import Edge
from errata.warehouse.queries.vocabulary import Sort


@dataclass(frozen=True)
class Place:
    """After which row a page begins. `asked_at`: when that row was asked for, by the warehouse's clock, and
    `recent_count` how many events received in the 20 s before could be seen by then: an insert is stamped
    when it begins, so it may be seen only after a moment that it was received before.
    """

    key: tuple[int, int]
    asked_at: datetime
    recent_count: int


def cursor_after(sort: Sort, page: Sequence[Row], edge: Edge, place: Place | None) -> str:
    """Where the next page begins; after a page of issues seen since alone nothing below was shown yet."""
    last = page[-1]["sort_value"], page[-1]["issue_id"]
    key = min(last, place.key) if place else last
    return cursor_text(sort, *key, round(edge.asked_at.timestamp() * 1000), edge.recent_count)


def place_of(cursor: str, sort: Sort) -> Place:
    given_sort, *numbers = cursor_values(cursor, 5)
    try:
        value, issue_id, milliseconds, recent_count = map(int, numbers)
    except ValueError as error:
        raise unknown_cursor() from error
    is_in_bounds = abs(value) < 1 << 63 and all(
        0 <= number < 1 << bits for number, bits in ((issue_id, 64), (milliseconds, 42), (recent_count, 64))
    )
    if given_sort != sort or not is_in_bounds:
        raise unknown_cursor()
    return Place((value, issue_id), EPOCH + timedelta(milliseconds=milliseconds), recent_count)
