"""Searches the days of every page for shifts of level, once a day."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from math import exp
from time import monotonic
from typing import Any

import msgspec
import numpy as np

from errata.performance.metric import SHOWN, Unit
from errata.statistics.change_points import FEWEST_DAYS, ChangePoint, change_points, without_weekdays
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.now import warehouse_now
from errata.warehouse.queries.performance.release_starts import ReleaseStart, release_starts
from pipelines.build.build_log import last_build_of, record_build
from pipelines.build.by_project import SECONDS_A_PROJECT, Share, by_project, projects_with_page_loads

MART = "change_points"
TABLE = "errata_mart.change_points"
LAG = timedelta(seconds=60)
SPAN = timedelta(weeks=26)
# CLS may be 0: changes are measured as factors.
METRICS = tuple(metric.name for metric in SHOWN if metric.unit is Unit.MS)
# The p75 of fewer samples says more about chance than about the page.
FEWEST_SAMPLES = 20
# All metrics of the busiest pages of an environment.
MOST_SERIES = 200
RELEASE_WITHIN = timedelta(days=3)


@dataclass(frozen=True)
class Searched:
    """The outcome of one run; without series: the day's run was done before."""

    watermark: datetime
    series_count: int
    change_count: int
    seconds: float


def find_change_points(
    warehouse: Warehouse, lag: timedelta = LAG, seconds_a_project: float = SECONDS_A_PROJECT
) -> Searched:
    """Searches every project once a day, and again that day once days arrive that it has not seen; projects
    set aside as soon as they are due."""
    began = monotonic()
    since, day_count_before = last_build_of(warehouse, MART)
    watermark = warehouse_now(warehouse) - lag
    days = projects_with_page_loads(warehouse, (watermark - SPAN).date(), watermark.date())
    day_count = sum(days.values())
    is_done = since.date() == watermark.date() and day_count == day_count_before
    projects = [] if is_done else list(days)

    def search(project_id: int, share: Share) -> tuple[int, int]:
        return _search(share, project_id, watermark)

    done = list(by_project(warehouse, MART, projects, search, seconds=seconds_a_project))
    if is_done and not done:
        return Searched(since, 0, 0, 0.0)
    series_count, change_count = (sum(counts) for counts in zip((0, 0), *done, strict=True))
    seconds = monotonic() - began
    record_build(warehouse, MART, watermark, day_count, change_count, seconds)
    return Searched(watermark, series_count, change_count, seconds)


def _search(share: Share, project_id: int, watermark: datetime) -> tuple[int, int]:
    """The counts of series and of shifts found in them."""
    series = _series(share.warehouse, project_id, watermark)
    releases = release_starts(share.warehouse, project_id, watermark - SPAN - RELEASE_WITHIN)
    changes = list(_changes(series, releases, share))
    _record(share.warehouse, project_id, watermark, changes)
    return len(series), len(changes)


def _series(warehouse: Warehouse, project_id: int, watermark: datetime) -> list[Row]:
    """Series of whole days, without today."""
    found = warehouse.rows(
        sql.query("daily_series"),
        {
            "project_id": project_id,
            "since": (watermark - SPAN).date(),
            "until": watermark.date(),
            "metrics": list(METRICS),
            "fewest_samples": FEWEST_SAMPLES,
            "fewest_days": 2 * FEWEST_DAYS,
        },
    )
    return found[:MOST_SERIES]


def _changes(series: Sequence[Row], releases: Sequence[ReleaseStart], share: Share) -> Iterator[Row]:
    for one in series:
        share.check()
        days = [day for day, _ in one["days"]]
        weekdays = np.array([day.weekday() for day in days], dtype=np.int64)
        levels = np.log(np.maximum([p75 for _, p75 in one["days"]], 0.1))
        for point in change_points(without_weekdays(levels, weekdays)):
            day = days[point.index]
            yield {
                "environment": one["environment"],
                "page": one["page_name"],
                "metric": one["metric"],
                "day": day.isoformat(),
                **_levels(point),
                **_nearest(
                    day, [release for release in releases if release.environment == one["environment"]]
                ),
            }


def _levels(point: ChangePoint) -> dict[str, float]:
    return {
        "level_before": exp(point.before),
        "level_after": exp(point.after),
        "change_ratio": exp(point.after - point.before) - 1,
        "p_e_divisive": point.p_e_divisive,
        "p_mann_whitney": point.p_mann_whitney,
        "p_mann_kendall": point.p_mann_kendall,
        "vote_count": point.vote_count,
    }


def _nearest(day: date, releases: Sequence[ReleaseStart]) -> dict[str, str]:
    """The release whose first page load is nearest; a shift shows on the day of the release, or on the
    next."""
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    near = [release for release in releases if abs(release.began_at - midnight) <= RELEASE_WITHIN]
    if not near:
        return {"release": "", "release_at": "1970-01-01 00:00:00.000"}
    nearest = min(near, key=lambda release: (abs(release.began_at - midnight), release.release))
    began_at = nearest.began_at.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
    return {"release": nearest.release, "release_at": began_at}


def _record(warehouse: Warehouse, project_id: int, watermark: datetime, changes: Sequence[Row]) -> None:
    """Records the shifts, with a row for the build itself: a build without shifts also replaces the one
    before."""
    key: Mapping[str, Any] = {
        "project_id": project_id,
        "built_through": watermark.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3],
    }
    rows = [{**key, "metric": ""}, *({**key, **change} for change in changes)]
    lines = b"".join(msgspec.json.encode(row) + b"\n" for row in rows)
    warehouse.insert_json_lines(TABLE, lines, token=uuid.uuid4().hex)
