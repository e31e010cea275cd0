"""Spans of receipt that are searched together, and the windows found in them, each once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from datetime import time as time_of_day
from itertools import groupby

from pipelines.builder.mart import Window

RECEIVED_AT_ONCE = 7
"""Days of receipt searched together, at most."""
INSERTS_AT_ONCE = 4
"""Inserts' worth of rows searched together, at most; always at least one day."""


def spans(
    since: datetime, until: datetime, oldest: datetime, rows: Mapping[date, int], most_rows: int
) -> Iterator[tuple[datetime, datetime]]:
    """Half-open spans of receipt: a first build searches months of rows. `rows`: the count for each day of
    receipt."""
    begin = since
    while begin < until:
        end = oldest if begin < oldest else _day_after(begin.date(), rows, most_rows)
        yield begin, min(end, until)
        begin = min(end, until)


def _day_after(first: date, rows: Mapping[date, int], most_rows: int) -> datetime:
    """The midnight up to which rows are searched together."""
    row_count = 0
    for number in range(RECEIVED_AT_ONCE):
        day = first + timedelta(days=number)
        row_count += rows.get(day, 0)
        if number and row_count > most_rows:
            break
    else:
        day += timedelta(days=1)
    return datetime.combine(day, time_of_day(), UTC)


def together(found: Iterable[Window]) -> list[Window]:
    """Each window once, in order, with all its arrivals."""
    windows = sorted(found, key=lambda window: window.start)
    return [_joined(list(same)) for _, same in groupby(windows, lambda window: window.start)]


def _joined(windows: Sequence[Window]) -> Window:
    return Window(
        start=windows[0].start,
        first_received_at=min(window.first_received_at for window in windows),
        last_received_at=max(window.last_received_at for window in windows),
        row_count=sum(window.row_count for window in windows),
        receipt_days=frozenset().union(*(window.receipt_days for window in windows)),
    )
