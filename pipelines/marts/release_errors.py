"""Error rates of releases against the ones before them, for releases that one statement can name."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from errata.clock import EPOCH
from errata.statistics.clustered_shares import Sessions
from errata.statistics.comparison import FEWEST
from errata.statistics.drift import SPAN, beside_drift, drift_a_week
from errata.statistics.error_rates import EXPOSURES_A_SIDE, Activity, ErrorRate, error_rate
from errata.statistics.verdict import CHANGES
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from pipelines.marts.compared_loads import BASELINE, MILLION
from pipelines.marts.daily_series import FEWEST_SAMPLES
from pipelines.marts.due_releases import Due, Release

# One statement answers for about as many sessions or page loads.
EXPOSURES_AT_ONCE = 80_000
QUESTIONS = {"session": "errors_beside_sessions", "load": "errors_beside_loads"}
MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True)
class ComparedErrors:
    """`unit`: what errors are counted per, session or load."""

    unit: str
    rate: ErrorRate


def compared_errors(
    warehouse: Warehouse, dues: Sequence[Due], sessions: Mapping[str, Sessions], watermark: datetime
) -> dict[str, ComparedErrors]:
    """By release: per session where both releases send sessions, else per page load. Releases with few loads,
    or without one before, are not compared, and nothing is said where nothing is comparable."""
    comparable = [due for due in dues if due.has_traffic and due.release.previous]
    found: dict[str, ComparedErrors] = {}
    for unit, question in QUESTIONS.items():
        statement = sql.query(question)
        of_unit = [due for due in comparable if _unit(due, sessions) == unit]
        for some in _at_once(of_unit, sessions):
            rows = warehouse.columns(statement, _parameters(some, sessions, watermark))
            for due, activity in _activities(some, rows):
                rate = error_rate(activity, due.analysis)
                if rate is not None:
                    beside = _beside_drift(warehouse, due.release, rate)
                    found[due.release.version] = ComparedErrors(unit, beside)
    return found


def _beside_drift(warehouse: Warehouse, release: Release, rate: ErrorRate) -> ErrorRate:
    """A drift of errors per page load is looked for where there is a verdict that it may explain."""
    if rate.verdict not in CHANGES:
        return rate
    (found,) = warehouse.rows(
        sql.query("daily_error_rates"),
        {
            "project_id": release.project_id,
            "environment": release.environment,
            "since": release.first_day - SPAN,
            "until": release.first_day,
            "fewest_samples": FEWEST_SAMPLES,
        },
    )
    return beside_drift(rate, rate.bounds, rate.weeks_between * drift_a_week(found["days"]))


def columns_of(compared: ComparedErrors | None) -> Row:
    """The columns of a release's row; without a comparison those that the table has by itself."""
    if compared is None:
        return {}
    rate = compared.rate
    return {
        "error_rate_unit": compared.unit,
        "error_rate": rate.after_rate,
        "error_rate_before": rate.before_rate,
        "compared_errors": round(rate.after_errors),
        "compared_errors_before": round(rate.before_errors),
        "independent_errors": rate.independent_errors,
        "error_largest_share": rate.largest_share,
        "error_ratio": rate.ratio,
        "error_ratio_low": rate.low,
        "error_ratio_high": rate.high,
        "error_verdict": rate.verdict.value,
        "error_reason": rate.reason.value,
    }


def _unit(due: Due, sessions: Mapping[str, Sessions]) -> str:
    return "session" if min(_session_counts(due, sessions)) >= FEWEST else "load"


def _at_once(dues: Sequence[Due], sessions: Mapping[str, Sessions]) -> Iterator[list[Due]]:
    some: list[Due] = []
    size = 0.0
    for due in dues:
        added = min(EXPOSURES_A_SIDE, _exposures(due, sessions))
        if some and size + added > EXPOSURES_AT_ONCE:
            yield some
            some, size = [], 0.0
        some.append(due)
        size += added
    if some:
        yield some


def _exposures(due: Due, sessions: Mapping[str, Sessions]) -> float:
    """About how many a side has at most."""
    return max(*_session_counts(due, sessions), due.release.view_count)


def _session_counts(due: Due, sessions: Mapping[str, Sessions]) -> list[float]:
    return [sessions[name].count if name in sessions else 0.0 for name in _versions(due)]


def _versions(due: Due) -> list[str]:
    return [due.release.version, *([due.release.previous.version] if due.release.previous else [])]


def _parameters(
    dues: Sequence[Due], sessions: Mapping[str, Sessions], watermark: datetime
) -> dict[str, object]:
    sides = [side for number, due in enumerate(dues) for side in _sides(number, due, sessions, watermark)]
    numbers, releases, is_after, sinces, untils, shares = map(list, zip(*sides, strict=True))
    return {
        "project_id": dues[0].release.project_id,
        "environment": dues[0].release.environment,
        "numbers": numbers,
        "releases": releases,
        "is_after": is_after,
        "sinces_ms": sinces,
        "untils_ms": untils,
        "shares": shares,
    }


def _sides(
    number: int, due: Due, sessions: Mapping[str, Sessions], watermark: datetime
) -> Iterator[tuple[int, str, int, int, int, int]]:
    """The time of page loads that are compared: of the release since its first one, of the one before a week
    more."""
    release = due.release
    share = min(MILLION, round(MILLION * EXPOSURES_A_SIDE / _exposures(due, sessions)))
    until = _milliseconds(due.until(watermark))
    for is_after, name in zip((1, 0), _versions(due), strict=True):
        since = release.first_view_at if is_after else release.first_view_at - BASELINE
        yield number, name, is_after, _milliseconds(since), until, share


def _milliseconds(moment: datetime) -> int:
    return (moment - EPOCH) // MILLISECOND


def _activities(dues: Sequence[Due], rows: Mapping[str, Sequence[object]]) -> Iterator[tuple[Due, Activity]]:
    if not rows:
        return
    number = np.array(rows["number"], dtype=np.int64)
    known = np.array(rows["is_known"], dtype=np.bool_)
    every = Activity(
        np.array(rows["is_after"], dtype=np.bool_),
        np.array(rows["source"], dtype=np.uint64),
        known,
        np.array(rows["span"], dtype=np.int64),
        np.array(rows["exposure_count"], dtype=np.float64),
        np.array(rows["error_count"], dtype=np.float64),
    )
    for place, due in enumerate(dues):
        held = number == place
        if held.any():
            yield due, every.where(held)
