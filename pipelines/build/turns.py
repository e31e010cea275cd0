"""Which days with late rows a build takes, and which wait for the next ones.

A window is built whole, however few rows came. Days before yesterday therefore take turns: a build takes of
them what costs no more than the recent ones, or as many as it needs for none to wait too long.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby

from pipelines.build.mart import Waiting, Window

WAIT_AT_MOST = timedelta(hours=1)
# What is delivered after a long silence is built at once.
MOST_ROWS_WAITING = 10_000
# They are written down in one statement.
MOST_WINDOWS_WAITING = 500
RECENT = timedelta(days=1)


@dataclass(frozen=True)
class Turn:
    """`windows` are built now, in order of time; the rest waits."""

    windows: Sequence[Window]
    waiting: Sequence[Waiting]


@dataclass(frozen=True)
class LateDay:
    """`size`: rows of raw to read for its windows; `late_count`: those that came late, to so many windows."""

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
    """Each window once, in order of time: with what waits already and what has arrived since the last build.
    A part that came before its load arrives with it."""
    new = (
        Waiting(window.start, max(window.first_received_at, since), window.row_count) for window in arrived
    )
    every = sorted([*waiting, *new], key=lambda one: one.start)
    return [_joined(list(same)) for _, same in groupby(every, lambda one: one.start)]


def turn(windows: Sequence[Window], dirty: Sequence[Waiting], since: datetime, until: datetime) -> Turn:
    """`windows`: all that are `dirty` and can be built; `since`: the last build's `until`."""
    sizes = {window.start: window.row_count for window in windows}
    yesterday = until.date() - RECENT
    room = sum(window.row_count for window in windows if window.start.date() >= yesterday)
    late = [one for one in dirty if one.start in sizes and one.start.date() < yesterday]
    if len(late) == len(windows):
        return Turn(windows, [])
    days = [LateDay.of(day, list(same), sizes) for day, same in groupby(late, lambda one: one.start.date())]
    days.sort(key=lambda one: (one.since, one.day))
    taken = {one.day for one in days[: _count(days, room, since, until)]}
    left = [one for one in late if one.start.date() not in taken]
    waits = {one.start for one in left}
    return Turn([window for window in windows if window.start not in waits], left)


def _count(days: Sequence[LateDay], room: int, since: datetime, until: datetime) -> int:
    """Of days, who waits longest first: how many are built."""
    fewest = max(_in_time(days, since, until), _too_many(days))
    for count, one in enumerate(days):
        room -= one.size
        if room < 0 and count >= fewest:
            return count
    return len(days)


def _in_time(days: Sequence[LateDay], since: datetime, until: datetime) -> int:
    """So many a build, if builds go on as far apart, and none is left when its time has come."""
    fewest = 1
    for place, one in enumerate(days, 1):
        builds_left = max(1, 1 + (one.since + WAIT_AT_MOST - until) // (until - since))
        fewest = max(fewest, -(-place // builds_left))
    return fewest


def _too_many(days: Sequence[LateDay]) -> int:
    """How many must be built for the others not to be too many rows or windows."""
    rows, windows = sum(one.late_count for one in days), sum(one.window_count for one in days)
    for count, one in enumerate(days):
        if rows <= MOST_ROWS_WAITING and windows <= MOST_WINDOWS_WAITING:
            return count
        rows, windows = rows - one.late_count, windows - one.window_count
    return len(days)


def _joined(same: Sequence[Waiting]) -> Waiting:
    return Waiting(same[0].start, min(one.since for one in same), sum(one.row_count for one in same))
