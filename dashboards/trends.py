"""The weeks of a trend with how sure their changes are, and the changes of level in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from dashboards.performance import figure
from errata.reports import formats
from errata.statistics.weekly_change import WeeklyChange, weekly_change
from errata.warehouse.queries.performance.page_views import TrendRow
from errata.warehouse.queries.performance.shifts import Shift


@dataclass(frozen=True, slots=True)
class Week:
    row: TrendRow
    change: WeeklyChange | None
    is_over: bool

    @property
    def word(self) -> str:
        """slower, faster or steady, where it is known."""
        if self.change is None:
            return ""
        if self.change.low > 0:
            return "slower"
        return "faster" if self.change.high < 0 else "steady"


def weeks_with_changes(weeks: Sequence[TrendRow], days: Mapping[date, float], today: date) -> list[Week]:
    """The latest first; a week that is not over is compared on the days that it has."""
    return [
        Week(row, weekly_change(days, row.start), row.start + timedelta(days=7) <= today)
        for row in reversed(weeks)
    ]


def change_words(change: Shift) -> str:
    """For a chart: +12% · shop@2.1"""
    words = formats.change(change.change_ratio)
    return f"{words} · {change.release}" if change.release else words


def level_words(change: Shift) -> str:
    return f"{figure(change.metric, change.level_before)} → {figure(change.metric, change.level_after)}"


def votes(change: Shift) -> str:
    found = [
        name
        for name, p_value in (
            ("E-divisive", change.p_e_divisive),
            ("Mann-Whitney", change.p_mann_whitney),
            ("Mann-Kendall", change.p_mann_kendall),
        )
        if p_value < 0.05
    ]
    return ", ".join(found)
