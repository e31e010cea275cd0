"""Error events over time, as the bars above the issue list."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from dashboards.issues.sparklines import Sparkline, sparkline
from dashboards.shared import periods
from errata.period import TimeRange
from errata.reports import formats


@dataclass(frozen=True)
class Bars:
    """`highest`: of one bar; `since` and `until` are words for the ends of the axis."""

    total: int
    highest: int
    step: str
    since: str
    until: str
    sparkline: Sparkline


def bars_of(chosen: TimeRange, events: Mapping[datetime, int]) -> Bars:
    starts = chosen.trend_starts(events)
    counts = [events.get(start, 0) for start in starts]
    return Bars(
        total=sum(counts),
        highest=max(counts, default=0),
        step=chosen.trend_step,
        since=formats.minute(starts[0]) if starts else "",
        until="now" if chosen.is_open else formats.minute(chosen.until),
        sparkline=sparkline(counts, periods.words(chosen.period)),
    )
