"""Compares each release with the one before, and records its changes."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache, partial
from itertools import chain
from math import expm1, nan

import numpy as np

from errata.statistics.comparison import FEWEST
from errata.statistics.drift import FEWEST_DAYS, SPAN, beside_drift, drift_a_week, weeks_between
from errata.statistics.impact import Impact, impact, judged
from errata.statistics.interim_analyses import INTERIM_ANALYSES, InterimAnalysis, next_analysis
from errata.statistics.verdict import CHANGES, Verdict
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.published import counted_through
from errata.warehouse.retention import rebuildable_days
from pipelines.builder.by_project import SECONDS_A_PROJECT, Share, by_project
from pipelines.builder.python_run import LAG, python_run
from pipelines.builder.set_aside import Failure, Reason, set_aside
from pipelines.marts.compared_loads import BASELINE, METRICS, Loads, Pair, compared_loads
from pipelines.marts.daily_series import daily_series, projects_with_page_loads
from pipelines.marts.due_releases import (
    LOOKED_BACK,
    RELEASES_A_QUESTION,
    Due,
    Release,
    due_releases,
    hours,
)
from pipelines.marts.release_figures import Figures, together
from pipelines.marts.single_releases import SingleReleases

log = logging.getLogger("errata.builds")

MART = "release_metrics"
METRICS_TABLE = "errata_mart.release_metrics"
IMPACT_TABLE = "errata_mart.release_impact"
COUNTED = ("errata_mart.page_loads", "errata_mart.page_metrics_daily")
# A comparison takes up to a second: the project's time is checked after each group.
COMPARED_AT_ONCE = 20
MANY_SUPERSEDED = 20_000


@dataclass(frozen=True)
class Judging:
    """The outcome of one run; waiting releases are judged by the next one."""

    watermark: datetime
    release_count: int
    effect_count: int
    load_count: int
    waiting_count: int
    seconds: float


@dataclass(frozen=True)
class Judged:
    """The outcome for one project."""

    project_id: int
    release_count: int
    effect_count: int
    load_count: int
    waiting_count: int


def judge_releases(
    warehouse: Warehouse, lag: timedelta = LAG, seconds_a_project: float = SECONDS_A_PROJECT
) -> Judging:
    with python_run(warehouse, MART, lag) as run:
        watermark, oldest = run.watermark, _oldest(run.since, run.watermark)
        projects = list(projects_with_page_loads(warehouse, oldest, watermark.date()))
        single = SingleReleases(warehouse, "release_impact")

        def judge(project_id: int, share: Share) -> Judged:
            return _judge_project(share, project_id, watermark, oldest, single)

        done = list(by_project(warehouse, MART, projects, judge, seconds=seconds_a_project))
        for project_id in single.projects.difference(projects):
            single.forget_others(project_id, [])
        _put_off(warehouse, done)
        _forget_superseded(warehouse)
        release_count = sum(each.release_count for each in done)
        effect_count = sum(each.effect_count for each in done)
        run.publish(release_count, effect_count)
        return Judging(
            watermark,
            release_count,
            effect_count,
            sum(each.load_count for each in done),
            sum(each.waiting_count for each in done),
            run.seconds,
        )


def _put_off(warehouse: Warehouse, done: Sequence[Judged]) -> None:
    """Records projects with more releases than their time in this run allows; the next run continues."""
    left = [each for each in done if each.waiting_count]
    for each in left:
        log.warning("%d releases of project %d wait for the next run", each.waiting_count, each.project_id)
    set_aside(
        warehouse,
        MART,
        [
            Failure(
                each.project_id,
                Reason.RELEASES,
                f"{each.waiting_count} releases wait for the next run; this one judged {each.release_count}",
                row_count=each.waiting_count,
            )
            for each in left
        ],
    )


def _judge_project(
    share: Share, project_id: int, watermark: datetime, oldest: date, single: SingleReleases
) -> Judged:
    """Judges the due releases of a project: comparable ones first, and at least some in each run."""
    dues = [
        due
        for due in due_releases(share.warehouse, project_id, watermark, oldest)
        if not single.waits(due.release)
    ]
    compared = together([due for due in dues if due.has_traffic], COMPARED_AT_ONCE)
    others = together([due for due in dues if not due.has_traffic], RELEASES_A_QUESTION)
    release_count = effect_count = load_count = looked_at = 0
    for some in chain(compared, others):
        if looked_at and share.is_over:
            break
        verdicts = [
            found
            for due in some
            if (found := single.attempt(due.release, partial(_judge, share.warehouse, due, watermark)))
        ]
        _record(share.warehouse, verdicts, watermark)
        looked_at += len(some)
        release_count += len(verdicts)
        effect_count += sum(len(each.impacts) for each in verdicts)
        load_count += sum(len(each.loads.page) for each in verdicts if each.loads)
    if looked_at == len(dues):
        single.forget_others(project_id, [due.release for due in dues])
    return Judged(project_id, release_count, effect_count, load_count, len(dues) - looked_at)


@dataclass(frozen=True)
class Verdicts:
    """The verdicts on one release; `loads` None: not compared. `counted_through`: of loads of both."""

    due: Due
    counted_through: datetime
    loads: Loads | None
    impacts: Sequence[Impact]


def _judge(warehouse: Warehouse, due: Due, watermark: datetime) -> Verdicts:
    days = {"project_id": due.release.project_id, "since": due.release.first_view_at - BASELINE}
    counted = counted_through(warehouse, COUNTED, days)
    loads = _loads(warehouse, due, watermark) if due.has_traffic else None
    found = judged(list(_impacts(loads, due.analysis)), due.analysis) if loads else []
    impacts = list(_beside_drifts(warehouse, due.release, loads, found)) if loads else []
    return Verdicts(due, counted, loads, impacts)


def _beside_drifts(
    warehouse: Warehouse, release: Release, loads: Loads, found: Sequence[Impact]
) -> Iterator[Impact]:
    """Drifts are those of all pages together: looked for where there is a verdict that one may explain."""
    drift = cache(partial(_drift_a_week, warehouse, release))
    for one in found:
        if one.verdict in CHANGES:
            weeks = weeks_between(loads.seconds[loads.is_after], loads.seconds[~loads.is_after])
            yield beside_drift(one, one.comparison.bounds, expm1(weeks * drift(one.metric)))
        else:
            yield one


def _drift_a_week(warehouse: Warehouse, release: Release, metric: str) -> float:
    """As it was before the release."""
    since, until = release.first_day - SPAN, release.first_day
    rows = daily_series(warehouse, release.project_id, since, until, [metric], FEWEST_DAYS)
    place = release.environment, ""
    days = [row["days"] for row in rows if (row["environment"], row["page_name"]) == place]
    return drift_a_week(days[0]) if days else 0.0


def _oldest(since: datetime, watermark: datetime) -> date:
    """The oldest day to search: the first build covers all of history."""
    is_first = since.year == 1970
    span = timedelta(days=rebuildable_days("errata_raw.page_views")) if is_first else LOOKED_BACK
    return (watermark - span).date()


def _loads(warehouse: Warehouse, due: Due, watermark: datetime) -> Loads | None:
    """The loads to compare; for a first release, only its own."""
    release, until = due.release, due.until(watermark)
    pair = Pair(
        release.project_id,
        release.environment,
        release.version,
        release.previous.version if release.previous else release.version,
        release.first_view_at,
        until,
    )
    return compared_loads(warehouse, pair)


def _impacts(loads: Loads, analysis: InterimAnalysis | None) -> Iterator[Impact]:
    """The impact on all pages together, and on each page with enough loads of both releases."""
    sides = loads.is_after, ~loads.is_after
    for number, page in [(-1, ""), *enumerate(loads.pages)]:
        held = loads.is_of_all_pages if number < 0 else loads.page == number
        after, before = (side & held for side in sides)
        if min(np.count_nonzero(after), np.count_nonzero(before)) < FEWEST:
            continue
        for metric in METRICS:
            found = impact(page, metric, loads.views(metric, after), loads.views(metric, before), analysis)
            if found is not None:
                yield found


def _record(warehouse: Warehouse, verdicts: Sequence[Verdicts], watermark: datetime) -> None:
    """Records releases of one environment. Effects go first: the row in release_metrics makes them count."""
    if not verdicts:
        return
    figures = Figures.of(warehouse, [each.due for each in verdicts], watermark)
    warehouse.insert_rows(
        IMPACT_TABLE,
        [
            {**_key(each.due.release, watermark), **_effect(one, each.loads)}
            for each in verdicts
            for one in each.impacts
        ],
    )
    warehouse.insert_rows(
        METRICS_TABLE,
        [{**_key(each.due.release, watermark), **_metrics_row(each, figures)} for each in verdicts],
    )


def _key(release: Release, watermark: datetime) -> Row:
    return {
        "project_id": release.project_id,
        "environment": release.environment,
        "release": release.version,
        "built_through": _moment(watermark),
        "previous_release": release.previous.version if release.previous else "",
    }


def _effect(one: Impact, loads: Loads | None) -> Row:
    known = one.comparison
    return {
        "page": one.page,
        "metric": one.metric,
        "after_count": known.after_count,
        "before_count": known.before_count,
        "stratum_count": known.stratum_count,
        "user_count": _users(loads, one.page),
        "independent_count": known.independent_count,
        "largest_share": known.largest_share,
        "before_p50": one.before_p50,
        "before_p75": one.before_p75,
        "after_p50": one.after_p50,
        "after_p75": one.after_p75,
        "effect": one.in_units(known.effect),
        "effect_low": one.in_units(known.low),
        "effect_high": one.in_units(known.high),
        "effect_ratio": one.as_ratio(known.effect),
        "effect_ratio_low": one.as_ratio(known.low),
        "effect_ratio_high": one.as_ratio(known.high),
        "bound_low": known.bounds.low,
        "bound_high": known.bounds.high,
        "p_value": known.p_value,
        "q_value": one.q_value,
        "slower_probability": known.slower_probability,
        "superiority": known.superiority,
        "is_constant": known.is_constant,
        "verdict": one.verdict.value,
        "reason": one.reason.value,
    }


def _users(loads: Loads | None, page: str) -> int:
    if loads is None:
        return 0
    held = loads.is_after & (loads.user != 0)
    if page:
        held &= loads.page == loads.pages.index(page)
    return len(np.unique(loads.user[held]))


def _metrics_row(verdicts: Verdicts, figures: Figures) -> Row:
    release, analysis = verdicts.due.release, verdicts.due.analysis
    return {
        "counted_through": _moment(verdicts.counted_through),
        "first_view_at": _moment(release.first_view_at),
        "last_day": release.last_day,
        "view_count": release.view_count,
        **_of_loads(verdicts, figures),
        **figures.columns(release),
        "look_hours": hours(analysis),
        "next_look_at": _next_analysis_at(release, analysis),
        "verdict": _headline(verdicts.impacts),
        "moved_mix": verdicts.loads.moved_mix if verdicts.loads and release.previous else [],
        "source_count": release.source_count,
    }


def _of_loads(verdicts: Verdicts, figures: Figures) -> Row:
    if verdicts.due.has_traffic:
        return {"user_count": _users(verdicts.loads, ""), "js_bytes_p50": _script_median(verdicts.loads)}
    known = figures.seldom_seen.get(verdicts.due.release.version)
    return {
        "user_count": known["user_count"] if known else 0,
        "js_bytes_p50": known["js_bytes_p50"] if known else nan,
    }


def _headline(found: Sequence[Impact]) -> str:
    """The verdict on the load time of all pages: the one question that was fixed in advance."""
    words = [one.verdict for one in found if not one.page and one.metric == "load_ms"]
    return (words or [Verdict.NOT_ENOUGH_DATA])[0].value


def _script_median(loads: Loads | None) -> float:
    if loads is None:
        return nan
    sizes = loads.metrics["js_bytes"][loads.is_after]
    known = sizes[np.isfinite(sizes)]
    return float(np.median(known)) if len(known) else nan


def _next_analysis_at(release: Release, analysis: InterimAnalysis | None) -> str:
    coming = next_analysis(analysis.after) if analysis else INTERIM_ANALYSES[0]
    return _moment(release.first_view_at + coming.after) if coming else "1970-01-01 00:00:00.000"


def _moment(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]


def _forget_superseded(warehouse: Warehouse) -> None:
    tables = (IMPACT_TABLE, METRICS_TABLE)
    count, delete = map(sql.build_statement, ("count_superseded_releases", "delete_superseded_releases"))
    counted = [warehouse.rows(count.at(table=table))[0] for table in tables]
    if max(row["row_count"] for row in counted) > MANY_SUPERSEDED:
        # Replicas delete each by itself, and must delete the same.
        before = counted[0]["before"]
        for table in tables:
            warehouse.execute(delete.at(table=table), {"before": before})
