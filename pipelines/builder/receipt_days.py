"""The days of receipt that a build reads of raw: a day whose rows came ten days late is not all ten."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta

from errata.warehouse.late_rows import PART_WAITS
from pipelines.builder.mart import Window


def receipt_days(windows: Iterable[Window]) -> dict[str, Sequence[date]]:
    """`receipt_days`: the recorded ones; `near_days`: also days on which the load of a part found by its
    trace may have arrived."""
    days = frozenset[date]().union(*(window.receipt_days for window in windows))
    return {
        "receipt_days": sorted(days),
        "near_days": _around(days, range(-PART_WAITS.days, PART_WAITS.days + 1)),
    }


def spanned(first: datetime, last: datetime) -> frozenset[date]:
    """All days from one moment to another, both included."""
    count = (last.date() - first.date()).days + 1
    return frozenset(first.date() + timedelta(days=number) for number in range(count))


def _around(days: Iterable[date], offsets: Iterable[int]) -> list[date]:
    return sorted({day + timedelta(days=offset) for day in days for offset in offsets})
