"""The range that the bars of the issue list cover: its period, or the last 24 hours or 30 days beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from dashboards.issues.sparklines import Sparkline, sparkline
from dashboards.shared import periods
from errata.period import Period
from errata.warehouse.queries.issues.issue import Issue


@dataclass(frozen=True, slots=True)
class Bars:
    """`period` is what they cover; each bar is a step, from `since_ms` (of 1970) on."""

    sparkline: Sparkline
    period: str
    since_ms: int
    step_ms: int
    count: int


@dataclass(frozen=True, slots=True)
class ChartRange:
    """`address` is the range in the address: empty where it is the period of the list."""

    text: str
    words: str
    address: str
    is_shown: bool

    @property
    def is_interval(self) -> bool:
        return Period(self.text).is_interval

    @property
    def within(self) -> str:
        return periods.within(Period(self.text))


def chart_ranges(period: Period, wanted: str, issues: Sequence[Issue]) -> list[ChartRange]:
    """The shortest first; the period alone where the question was answered without the others."""
    is_counted = any(issue.hours and issue.days for issue in issues)
    offered = {period, *map(Period, ("24h", "30d"))} if is_counted else {period}
    shown = wanted if wanted in offered else period
    return [
        ChartRange(text, periods.words(text), "" if text == period else text, text == shown)
        for text in sorted(offered, key=lambda text: text.length)
    ]


def shown_range(offered: Sequence[ChartRange]) -> ChartRange:
    return next(one for one in offered if one.is_shown)


def bars(issue: Issue, offered: Sequence[ChartRange], now: datetime) -> Bars:
    """An issue that was not counted for the range has bars of the period, and their words say so."""
    shown = shown_range(offered)
    counts = {"24h": issue.hours, "30d": issue.days}.get(shown.address, ())
    if counts:
        return _bars(counts, shown, now)
    period = next(one for one in offered if not one.address)
    return _bars(issue.sparkline, period, now)


def _bars(counts: Sequence[int], covered: ChartRange, now: datetime) -> Bars:
    chosen = Period(covered.text).of_events(now)
    since_ms, step_ms = int(chosen.since.timestamp() * 1000), int(chosen.bucket.total_seconds() * 1000)
    return Bars(sparkline(counts, covered.words), covered.text, since_ms, step_ms, len(counts))
