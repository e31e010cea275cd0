"""The metrics of page views in a period: what a build counted, and what came in since."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.published import one_snapshot
from errata.warehouse.queries.added_samples import (
    exact_percentiles,
    with_added,
)
from errata.warehouse.queries.built_days import BuildsAway, Counted, Through, days_built, is_built
from errata.warehouse.queries.page_view import View
from errata.warehouse.queries.page_views_now import PageViewsNow
from errata.warehouse.queries.progress import Progress
from errata.warehouse.queries.remembered import Remembered

REACHES = (8, 256, 4096, 50_000)
Group = tuple[date, bool, str, bool, str, str]
"""Bucket, of the period before, page, of all pages together, kind of navigation, metric."""


@dataclass(frozen=True)
class Asked:
    """Of whole days; empty texts mean all. `before`: where the period before begins, `since` without one."""

    projects: tuple[int, ...]
    before: date
    since: date
    bucket: str = "period"
    has_pages: bool = False
    has_whole: bool = False
    metrics: tuple[str, ...] = ()
    metrics_before: tuple[str, ...] = ()
    environment: str = ""
    release: str = ""
    page: str = ""


@dataclass(frozen=True)
class Built:
    as_of: datetime
    progress: Progress
    through: Through
    rows: Mapping[Group, Row]
    reach: int

    def has(self, view: View) -> bool:
        return is_built(view.first_received, view.day, self.progress, self.through)


_built = Remembered[Built](most=64)


def page_metrics(warehouse: Warehouse, now: PageViewsNow, asked: Asked) -> Counted:
    """Raises BuildsAway."""
    for reach in REACHES:
        built = _asked(warehouse, now.progress, asked, reach)
        added = _added(asked, [view for view in now.came_since(built.progress) if not built.has(view)])
        if all(len(values) <= reach for group, values in added.items() if _is_exact(built.rows.get(group))):
            return Counted(_together(built, added), built.as_of)
    raise BuildsAway


def _asked(warehouse: Warehouse, progress: Progress, asked: Asked, reach: int) -> Built:
    return _built.answer(
        (warehouse, asked, reach), progress.as_of, lambda: _ask(warehouse, progress, asked, reach)
    )


def _ask(warehouse: Warehouse, progress: Progress, asked: Asked, reach: int) -> Built:
    told = {
        "projects": list(asked.projects),
        "before": asked.before,
        "since": asked.since,
        "bucket": asked.bucket,
        "has_pages": asked.has_pages,
        "has_whole": asked.has_whole,
        "metrics": list(asked.metrics),
        "metrics_before": list(asked.metrics_before),
        "environment": asked.environment,
        "release": asked.release,
        "page": asked.page,
        "reach": reach,
    }
    scope = {"projects": list(asked.projects), "since": asked.before}
    with one_snapshot():
        rows = warehouse.rows(sql.query("page_metrics_built"), told)
        through = days_built(warehouse, sql.query("page_days_built"), scope)
    assert progress.as_of is not None
    found = {_group(row): row for row in rows}
    return Built(progress.as_of, progress, through, found, reach)


def _group(row: Row) -> Group:
    return (
        row["bucket_start"],
        bool(row["is_before"]),
        row["page_name"],
        row["is_whole"],
        row["navigation_type"],
        row["metric"],
    )


def _is_exact(row: Row | None) -> bool:
    return row is not None and bool(row["is_exact"])


def _added(asked: Asked, views: Sequence[View]) -> dict[Group, list[float]]:
    found: dict[Group, list[float]] = {}
    for view in views:
        if not _is_asked_for(asked, view):
            continue
        is_before = asked.bucket == "period" and view.day < asked.since
        metrics = asked.metrics_before if view.day < asked.since else asked.metrics
        start = _bucket_start(asked, view.day)
        for page, is_whole in _levels(asked, view.load.page):
            for metric in metrics:
                values = view.values.get(metric)
                if values:
                    group = start, is_before, page, is_whole, view.load.navigation_type, metric
                    found.setdefault(group, []).extend(values)
    return found


def _is_asked_for(asked: Asked, view: View) -> bool:
    load = view.load
    return (
        view.day >= asked.before
        and asked.environment in ("", load.environment)
        and asked.release in ("", load.release)
        and asked.page in ("", load.page)
    )


def _levels(asked: Asked, page: str) -> Iterator[tuple[str, bool]]:
    if asked.has_pages:
        yield page, False
    if asked.has_whole:
        yield "", True


def _bucket_start(asked: Asked, day: date) -> date:
    if asked.bucket == "week":
        return day - timedelta(days=day.weekday())
    if asked.bucket == "day":
        return day
    return asked.before if day < asked.since else asked.since


def _together(built: Built, added: Mapping[Group, list[float]]) -> list[Row]:
    rows = [
        _with(row, built.reach, added[group]) if group in added else row for group, row in built.rows.items()
    ]
    rows += [_new(group, values) for group, values in added.items() if group not in built.rows]
    return rows


def _with(row: Row, reach: int, values: list[float]) -> Row:
    count, found = row["sample_count"], row["percentiles"]
    if row["metric"] != "view":
        found = with_added(count, row["is_exact"], row["around"], reach, values)
    if found is None:
        raise BuildsAway
    return row | {
        "sample_count": count + len(values),
        "value_sum": round(row["value_sum"] + sum(values), 3),
        "percentiles": found,
    }


def _new(group: Group, values: list[float]) -> Row:
    start, is_before, page, is_whole, navigation_type, metric = group
    return {
        "bucket_start": start,
        "is_before": is_before,
        "page_name": page,
        "is_whole": is_whole,
        "navigation_type": navigation_type,
        "metric": metric,
        "sample_count": len(values),
        "value_sum": round(sum(values), 3),
        "percentiles": exact_percentiles(0, ((), (), ()), 0, values),
    }
