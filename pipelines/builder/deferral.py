"""Deferral of days with late rows: the days that a build takes, and those left to a later one.

A window is built whole, however few its late rows. Days before yesterday may therefore wait: a build takes as
many as cost no more than its recent windows, or as many as it needs for none to wait too long.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby

from pipelines.builder.mart import Waiting, Window

WAIT_AT_MOST = timedelta(hours=1)
# Deliveries after a long silence are built at once.
MOST_ROWS_WAITING = 10_000
# One statement records them.
MOST_WINDOWS_WAITING = 500
RECENT = timedelta(days=1)


@dataclass(frozen=True)
class Plan:
    """`windows` are built now, in order of time; `waiting` is deferred."""

    windows: Sequence[Window]
    waiting: Sequence[Waiting]


@dataclass(frozen=True)
class LateDay:
    """A day with late rows. `size`: raw rows to read for its windows; `late_count`: its late rows, in
    `window_count` windows."""

    day: date
    since: datetime
    size: int
    late_count: int
    window_count: int

    @classmethod
    def of(cls, day: date, dirty: Sequence[Waiting], sizes: Mapping[datetime, int]) -> "LateDay":
        return cls(
            day,
            min(one.since for one in dirty),
            sum(sizes[one.start] for one in dirty),
            sum(one.row_count for one in dirty),
            len(dirty),
        )


def with_arrived(waiting: Iterable[Waiting], arrived: Iterable[Window], since: datetime) -> list[Waiting]:
    """Each window once, in order of time: those waiting already, joined with those of rows received since the
    last build. A part received before its load counts as received at that build."""
    new = (
        Waiting(window.start, max(window.first_received_at, since), window.row_count) for window in arrived
    )
    every = sorted([*waiting, *new], key=lambda one: one.start)
    return [_joined(list(same)) for _, same in groupby(every, lambda one: one.start)]


def plan(windows: Sequence[Window], dirty: Sequence[Waiting], since: datetime, until: datetime) -> Plan:
    """Chooses windows. `windows`: all that are `dirty` and can be built; `since`: the last build's
    `until`."""
    sizes = {window.start: window.row_count for window in windows}
    yesterday = until.date() - RECENT
    capacity = sum(window.row_count for window in windows if window.start.date() >= yesterday)
    late = [one for one in dirty if one.start in sizes and one.start.date() < yesterday]
    if len(late) == len(windows):
        return Plan(windows, [])
    days = [LateDay.of(day, list(same), sizes) for day, same in groupby(late, lambda one: one.start.date())]
    days.sort(key=lambda one: (one.since, one.day))
    taken = {one.day for one in days[: _count(days, capacity, since, until)]}
    left = [one for one in late if one.start.date() not in taken]
    waits = {one.start for one in left}
    return Plan([window for window in windows if window.start not in waits], left)


def _count(days: Sequence[LateDay], capacity: int, since: datetime, until: datetime) -> int:
    """The number of days to build; the longest waiting come first."""
    fewest = max(_in_time(days, since, until), _too_many(days))
    for count, one in enumerate(days):
        capacity -= one.size
        if capacity < 0 and count >= fewest:
            return count
    return len(days)


def _in_time(days: Sequence[LateDay], since: datetime, until: datetime) -> int:
    """The fewest days for each build, at the present pace, so that no day waits longer than allowed."""
    fewest = 1
    for place, one in enumerate(days, 1):
        builds_left = max(1, 1 + (one.since + WAIT_AT_MOST - until) // (until - since))
        fewest = max(fewest, -(-place // builds_left))
    return fewest


def _too_many(days: Sequence[LateDay]) -> int:
    """The number of days to build so that the others do not exceed the limits of waiting rows and windows."""
    rows, windows = sum(one.late_count for one in days), sum(one.window_count for one in days)
    for count, one in enumerate(days):
        if rows <= MOST_ROWS_WAITING and windows <= MOST_WINDOWS_WAITING:
            return count
        rows, windows = rows - one.late_count, windows - one.window_count
    return len(days)


def _joined(same: Sequence[Waiting]) -> Waiting:
    return Waiting(same[0].start, min(one.since for one in same), sum(one.row_count for one in same))
