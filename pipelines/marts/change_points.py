"""Searches the days of every page for steps and drifts, once a day."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from math import exp, expm1
from types import MappingProxyType
from typing import Any

from errata.performance.metric import SHOWN, Unit
from errata.statistics.change_points import (
    Changes,
    Drift,
    Step,
    candidates_of,
    of_days,
    significant,
)
from errata.statistics.level_models import FEWEST_DAYS
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.published import counted_through
from errata.warehouse.queries.performance.release_starts import ReleaseStart, release_starts
from pipelines.builder.by_project import SECONDS_A_PROJECT, Share, by_project
from pipelines.builder.python_run import LAG, python_run
from pipelines.marts.daily_series import daily_series, projects_with_page_loads

MART = "change_points"
TABLE = "errata_mart.change_points"
DAYS = "errata_mart.page_metrics_daily"
SPAN = timedelta(weeks=26)
# CLS may be 0: changes are measured as factors.
METRICS = tuple(metric.name for metric in SHOWN if metric.unit is Unit.MS)
# All metrics of the busiest pages.
MOST_SERIES = 200
DAY = timedelta(days=1)
NONE = date(1970, 1, 1)


@dataclass(frozen=True)
class Searched:
    """The outcome of one run; without series: the day's run was done before."""

    watermark: datetime
    series_count: int
    change_count: int
    seconds: float


def find_change_points(
    warehouse: Warehouse,
    lag: timedelta = LAG,
    seconds_a_project: float = SECONDS_A_PROJECT,
    holidays: Mapping[int, Collection[date]] = MappingProxyType({}),
) -> Searched:
    """Searches every project once a day, and again that day once days arrive that it has not seen; projects
    set aside as soon as they are due. Days of their `holidays` are left out."""
    with python_run(warehouse, MART, lag) as run:
        watermark = run.watermark
        days = projects_with_page_loads(warehouse, (watermark - SPAN).date(), watermark.date())
        day_count = sum(days.values())
        is_done = run.since.date() == watermark.date() and day_count == run.last_count
        projects = [] if is_done else list(days)

        def search(project_id: int, share: Share) -> tuple[int, int]:
            return _search(share, project_id, watermark, holidays.get(project_id, ()))

        done = list(by_project(warehouse, MART, projects, search, seconds=seconds_a_project))
        if is_done and not done:
            return Searched(run.since, 0, 0, 0.0)
        series_count, change_count = (sum(counts) for counts in zip((0, 0), *done, strict=True))
        run.publish(day_count, change_count)
        return Searched(watermark, series_count, change_count, run.seconds)


def _search(
    share: Share, project_id: int, watermark: datetime, holidays: Collection[date]
) -> tuple[int, int]:
    """The counts of series and of shifts found in them."""
    days = {"project_id": project_id, "since": (watermark - SPAN).date()}
    counted = counted_through(share.warehouse, [DAYS], days)
    series = _series(share.warehouse, project_id, watermark, holidays)
    releases = release_starts(share.warehouse, project_id, watermark - SPAN - DAY)
    changes = list(_changes(series, releases, share))
    _record(share.warehouse, project_id, watermark, counted, changes)
    return len(series), len(changes)


def _series(
    warehouse: Warehouse, project_id: int, watermark: datetime, holidays: Collection[date]
) -> list[Row]:
    """Series of whole days, without today and holidays."""
    since = (watermark - SPAN).date()
    found = daily_series(warehouse, project_id, since, watermark.date(), METRICS, 2 * FEWEST_DAYS)
    usual = [
        row | {"days": [(day, p75) for day, p75 in row["days"] if day not in holidays]}
        for row in found[:MOST_SERIES]
    ]
    return [row for row in usual if len(row["days"]) >= 2 * FEWEST_DAYS]


@dataclass
class _Change:
    """Of one series; `first` and `last` bound the day of a step, and are the ends of a drift."""

    of: Row
    day: date
    first: date
    last: date
    found: Step | Drift
    went_away_on: date | None = None
    finding: int = 0
    moved_together: int = field(default=1)

    @property
    def size(self) -> float:
        return self.found.after - self.found.before

    def moves_with(self, other: "_Change") -> bool:
        """Whether both may be of one day, in one environment and direction."""
        return (
            isinstance(other.found, Step)
            and self.of["environment"] == other.of["environment"]
            and (self.size > 0) == (other.size > 0)
            and (self.first <= other.day <= self.last or other.first <= self.day <= other.last)
        )


def _changes(series: Sequence[Row], releases: Sequence[ReleaseStart], share: Share) -> Iterator[Row]:
    candidates = []
    for one in candidates_of([of_days(one["days"]) for one in series]):
        share.check()
        candidates.append(one)
    found = [
        change
        for one, changes in zip(series, significant(candidates), strict=True)
        for change in _dated(one, changes)
    ]
    _number_findings(found)
    for change in found:
        weeks = (change.last - change.first) / timedelta(weeks=1)
        yield {
            "environment": change.of["environment"],
            "page": change.of["page_name"],
            "metric": change.of["metric"],
            "kind": "step" if isinstance(change.found, Step) else "drift",
            "day": change.day,
            "first_day": change.first,
            "last_day": change.last,
            "level_before": exp(change.found.before),
            "level_after": exp(change.found.after),
            "change_ratio": expm1(change.size),
            "slope": 0.0 if isinstance(change.found, Step) else expm1(change.size / weeks),
            "p_value": change.found.p_value,
            "went_away_on": change.went_away_on or NONE,
            "finding": change.finding,
            "moved_together": change.moved_together,
            **_nearest(change, releases),
        }


def _dated(of: Row, changes: Changes) -> Iterator[_Change]:
    days = [day for day, _ in of["days"]]
    for step in changes.steps:
        went_away_on = None if step.undone is None else days[step.undone]
        yield _Change(of, days[step.index], days[step.first], days[step.last], step, went_away_on)
    if changes.drift:
        yield _Change(of, days[-1], days[0], days[-1], changes.drift)


def _number_findings(changes: Sequence[_Change]) -> None:
    """Steps that moved together are one finding, begun by the surest of all pages or else of a page."""
    findings: list[list[_Change]] = []
    for change in sorted(changes, key=lambda one: (one.of["page_name"] != "", one.found.p_value)):
        begun = [finding for finding in findings if isinstance(change.found, Step)]
        finding = next((finding for finding in begun if change.moves_with(finding[0])), None)
        if finding is None:
            findings.append(finding := [])
        finding.append(change)
    for number, finding in enumerate(findings, start=1):
        for change in finding:
            change.finding, change.moved_together = number, len(finding)


def _nearest(change: _Change, releases: Sequence[ReleaseStart]) -> dict[str, str]:
    """The release that began within the interval of the day, nearest to the day.

    A release in the course of a day may leave that day's p75 at the level before: the interval begins a day
    before the first day that the new level may have.
    """
    since, until = _midnight(change.first) - DAY, _midnight(change.last) + DAY
    near = [
        release
        for release in releases
        if release.environment == change.of["environment"] and since <= release.began_at < until
    ]
    if not near or isinstance(change.found, Drift):
        return {"release": "", "release_at": f"{NONE} 00:00:00.000"}
    midnight = _midnight(change.day)
    nearest = min(near, key=lambda release: (abs(release.began_at - midnight), release.release))
    return {"release": nearest.release, "release_at": _text(nearest.began_at)}


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _text(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]


def _record(
    warehouse: Warehouse, project_id: int, watermark: datetime, counted: datetime, changes: Sequence[Row]
) -> None:
    """Records the shifts, with a row for the build itself: a build without shifts also replaces the one
    before."""
    key: Mapping[str, Any] = {
        "project_id": project_id,
        "built_through": _text(watermark),
        "counted_through": _text(counted),
    }
    rows = [
        {**key, "metric": "", "kind": "", "moved_together": 0},
        *({**key, **change} for change in changes),
    ]
    warehouse.insert_rows(TABLE, rows)
