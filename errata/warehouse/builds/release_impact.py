"""Compares each release with the one before, and records what it changed."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import isnan, nan
from time import monotonic
from typing import Any

import msgspec
import numpy as np

from errata.statistics.comparison import FEWEST
from errata.statistics.impact import Impact, impact, judged
from errata.statistics.looks import LOOKS, Look, next_look
from errata.statistics.proportion import newcombe, wilson
from errata.statistics.verdict import Verdict
from errata.warehouse import sql
from errata.warehouse.builds.compared_loads import BASELINE, METRICS, Loads, Pair, arrivals, compared_loads
from errata.warehouse.builds.due_releases import LOOKED_BACK, Due, Release, due_releases, hours
from errata.warehouse.builds.records import NOW, WATERMARK, aware, record_build
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.retention import rebuildable_days

MART = "release_metrics"
METRICS_TABLE = "errata_mart.release_metrics"
IMPACT_TABLE = "errata_mart.release_impact"
# As for every mart: an insert takes 20 s at most and is stamped when it starts.
LAG = timedelta(seconds=60)
# Of which the percentiles of a release are told: a release that stays for a year is known by its first weeks.
DAYS_TOLD = timedelta(days=28)
SUPERSEDED = (
    "(project_id, environment, release, built_through) not in ("
    "select project_id, environment, release, max(built_through) from errata_mart.release_metrics "
    "group by project_id, environment, release) and built_through < now() - interval 1 hour"
)
MANY_SUPERSEDED = 20_000


@dataclass(frozen=True)
class Judging:
    """What one run did."""

    watermark: datetime
    release_count: int
    effect_count: int
    load_count: int
    seconds: float


def judge_releases(warehouse: Warehouse, lag: timedelta = LAG) -> Judging:
    began = monotonic()
    since = aware(warehouse.rows(WATERMARK, {"mart": MART})[0]["watermark"])
    watermark = aware(warehouse.rows(NOW)[0]["now"]) - lag
    release_count = effect_count = load_count = 0
    for due in due_releases(warehouse, watermark, _oldest(since, watermark)):
        loads = _loads(warehouse, due, watermark)
        found = judged(list(_impacts(loads, due.look)), due.look) if loads else []
        _record(warehouse, due, found, loads, watermark)
        release_count += 1
        effect_count += len(found)
        load_count += len(loads.page) if loads else 0
    _forget_superseded(warehouse)
    seconds = monotonic() - began
    record_build(warehouse, MART, watermark, release_count, effect_count, seconds)
    return Judging(watermark, release_count, effect_count, load_count, seconds)


def _oldest(since: datetime, watermark: datetime) -> date:
    """The first build looks at all of history."""
    is_first = since.year == 1970
    span = timedelta(days=rebuildable_days("errata_raw.page_views")) if is_first else LOOKED_BACK
    return (watermark - span).date()


def _loads(warehouse: Warehouse, due: Due, watermark: datetime) -> Loads | None:
    """What occurred until the look; before the first one, what there is. Of a first release only its own."""
    release = due.release
    until = release.first_view_at + due.look.after if due.look else watermark
    pair = Pair(
        release.project_id,
        release.environment,
        release.version,
        release.previous.version if release.previous else release.version,
        release.first_view_at,
        until,
        arrivals(warehouse, (release.first_view_at - BASELINE).date(), until.date()),
    )
    return compared_loads(warehouse, pair)


def _impacts(loads: Loads, look: Look | None) -> Iterator[Impact]:
    """All pages together, and each that both releases were seen often enough on."""
    sides = loads.is_after, ~loads.is_after
    for number, page in [(-1, ""), *enumerate(loads.pages)]:
        held = loads.is_of_whole if number < 0 else loads.page == number
        after, before = (side & held for side in sides)
        if min(np.count_nonzero(after), np.count_nonzero(before)) < FEWEST:
            continue
        for metric in METRICS:
            found = impact(page, metric, loads.views(metric, after), loads.views(metric, before), look)
            if found is not None:
                yield found


def _record(
    warehouse: Warehouse, due: Due, found: Sequence[Impact], loads: Loads | None, watermark: datetime
) -> None:
    """The effects first: the row of the release is what readers go by."""
    key = {
        "project_id": due.release.project_id,
        "environment": due.release.environment,
        "release": due.release.version,
        "built_through": watermark.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3],
        "previous_release": due.release.previous.version if due.release.previous else "",
    }
    _insert(warehouse, IMPACT_TABLE, [{**key, **_effect(one, loads)} for one in found])
    _insert(warehouse, METRICS_TABLE, [{**key, **_told(warehouse, due, found, loads)}])


def _effect(one: Impact, loads: Loads | None) -> Row:
    known = one.comparison
    return {
        "page": one.page,
        "metric": one.metric,
        "after_count": known.after_count,
        "before_count": known.before_count,
        "stratum_count": known.stratum_count,
        "user_count": _users(loads, one.page),
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
        "verdict": one.verdict.value,
    }


def _users(loads: Loads | None, page: str) -> int:
    if loads is None:
        return 0
    held = loads.is_after & (loads.user != 0)
    if page:
        held &= loads.page == loads.pages.index(page)
    return len(np.unique(loads.user[held]))


def _told(warehouse: Warehouse, due: Due, found: Sequence[Impact], loads: Loads | None) -> Row:
    release = due.release
    return {
        "first_view_at": _moment(release.first_view_at),
        "last_day": release.last_day.isoformat(),
        "view_count": release.view_count,
        "user_count": _users(loads, ""),
        **_percentiles(warehouse, release),
        "js_bytes_p50": _script_median(loads),
        "error_count": _errors(warehouse, release),
        **_crash_free(warehouse, release),
        **_issues(warehouse, release),
        "look_hours": hours(due.look),
        "next_look_at": _next_look_at(release, due.look),
        "verdict": _headline(found),
        "source_count": release.source_count,
    }


def _headline(found: Sequence[Impact]) -> str:
    """All pages' load time: the one question that was fixed before anything was seen."""
    words = [one.verdict for one in found if not one.page and one.metric == "load_ms"]
    return (words or [Verdict.NOT_ENOUGH_DATA])[0].value


def _percentiles(warehouse: Warehouse, release: Release) -> dict[str, float]:
    rows = warehouse.rows(
        sql.query("metrics_of_release"),
        {
            "project_id": release.project_id,
            "environment": release.environment,
            "release": release.version,
            "since": release.first_day,
            "until": min(release.last_day, release.first_day + DAYS_TOLD),
        },
    )
    known = {row["metric"]: row for row in rows}
    load, lcp = (
        known[name]["percentiles"] if name in known else (nan,) * 3 for name in ("load_ms", "lcp_ms")
    )
    api = known.get("api_ms")
    return {
        "load_ms_p50": load[0],
        "load_ms_p75": load[1],
        "load_ms_p95": load[2],
        "lcp_ms_p75": lcp[1],
        "api_ms": api["value_sum"] / api["sample_count"] if api else nan,
    }


def _script_median(loads: Loads | None) -> float:
    if loads is None:
        return nan
    sizes = loads.metrics["js_bytes"][loads.is_after]
    known = sizes[np.isfinite(sizes)]
    return float(np.median(known)) if len(known) else nan


def _errors(warehouse: Warehouse, release: Release) -> int:
    rows = warehouse.rows(
        sql.query("errors_of_releases"),
        {
            "project_id": release.project_id,
            "environment": release.environment,
            "releases": [release.version],
            "since": release.first_day - timedelta(days=1),
        },
    )
    return sum(row["error_count"] for row in rows)


def _crash_free(warehouse: Warehouse, release: Release) -> dict[str, float]:
    versions = [release.version, *([release.previous.version] if release.previous else [])]
    rows = warehouse.rows(
        sql.query("sessions_of_releases"),
        {"project_id": release.project_id, "environment": release.environment, "releases": versions},
    )
    counted = {row["release"]: (row["session_count"], row["crashed_count"]) for row in rows}
    shares = [
        wilson(total - crashed, total) for total, crashed in (counted.get(name, (0, 0)) for name in versions)
    ]
    total, crashed = counted.get(release.version, (0, 0))
    change = newcombe(shares[0], shares[1]) if len(shares) > 1 else None
    return {
        "session_count": total,
        "crashed_count": crashed,
        "crash_free_ratio": nan if shares[0].value is None else shares[0].value,
        "crash_free_low": shares[0].low,
        "crash_free_high": shares[0].high,
        "crash_free_change": change.value if change else nan,
        "crash_free_change_low": change.low if change else nan,
        "crash_free_change_high": change.high if change else nan,
    }


def _issues(warehouse: Warehouse, release: Release) -> dict[str, list[int]]:
    rows = warehouse.rows(
        sql.query("issues_of_releases"), {"project_id": release.project_id, "releases": [release.version]}
    )
    new = sorted(rows[0]["new_issues"]) if rows else []
    regressed = sorted(set(rows[0]["regressed_issues"]) - set(new)) if rows else []
    return {"new_issues": new, "regressed_issues": regressed}


def _next_look_at(release: Release, look: Look | None) -> str:
    coming = next_look(look.after) if look else LOOKS[0]
    return _moment(release.first_view_at + coming.after) if coming else "1970-01-01 00:00:00.000"


def _moment(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]


def _insert(warehouse: Warehouse, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    lines = b"".join(msgspec.json.encode(_without_nan(row)) + b"\n" for row in rows)
    if lines:
        warehouse.insert_json_lines(table, lines, token=uuid.uuid4().hex)


def _without_nan(row: Mapping[str, Any]) -> dict[str, Any]:
    """JSON has no nan; the warehouse reads it from text."""
    return {
        name: "nan" if isinstance(value, float) and isnan(value) else value for name, value in row.items()
    }


def _forget_superseded(warehouse: Warehouse) -> None:
    count = warehouse.rows(f"select count() as count from {IMPACT_TABLE} where {SUPERSEDED}")[0]["count"]
    if count > MANY_SUPERSEDED:
        for table in (IMPACT_TABLE, METRICS_TABLE):
            warehouse.execute(f"alter table {table} delete where {SUPERSEDED}")
