"""Releases, for pages and CI: their figures, verdicts and effects."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from math import isnan, log
from typing import Any

from errata.clock import END, EPOCH, utc
from errata.errors import ErrataError
from errata.statistics.interim_analyses import AT_MOST_EVERY, still_needed
from errata.statistics.verdict import ERROR_MARGIN, MARGIN, Verdict, overall
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.published import Build, published
from errata.warehouse.queries.performance.page_views import LOADS
from errata.warehouse.queries.performance.unended import NAMES, Unended, open_ones
from errata.warehouse.typed_rows import typed

LOAD = "load_ms"
# The warehouse takes 128 KiB in one parameter, and a release may have a long name.
BUILDS_A_QUESTION = 400
INTERVALS = ("crash_free_change", "crash_free_users", "crash_free_users_change")


class ReleaseNotFound(ErrataError):
    """The release has no page load, or no build has seen one yet."""

    code = "release_not_found"

    def __init__(self, release: str) -> None:
        super().__init__(f"Release {release} has no page loads yet")
        self.release = release


@dataclass(frozen=True, slots=True)
class Interval:
    """`low` and `high` bound it in 95 of 100 cases."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of a release on one metric of one page; '' is all pages together."""

    page: str
    metric: str
    verdict: str
    after_count: int
    before_count: int
    user_count: int
    independent_count: int
    """So many independent loads would tell as much as those of the release."""
    largest_share: float
    """Of the loads compared, those of the most active user; 0: nobody is known."""
    before_p50: float
    before_p75: float
    after_p50: float
    after_p75: float
    effect: Interval
    """In the metric's unit, at the median of the previous release."""
    ratio: Interval | None
    """0.1: a tenth more; None if the metric may be 0."""
    bound_low: float
    bound_high: float
    p_value: float
    q_value: float | None
    """None for all pages together: one question, fixed in advance."""
    slower_probability: float
    superiority: float
    is_constant: bool = False
    """No load differs from another of its release, page and device."""
    reason: str = ""
    """Why there is not enough data: few_users, one_user or drift; empty: the interval is too wide."""


@dataclass(frozen=True, slots=True)
class PageChange:
    """A release that made a page slower or faster. `ratio` None: the metric may be 0."""

    environment: str
    release: str
    began_at: datetime
    verdict: str
    effect: Interval
    ratio: Interval | None


@dataclass(frozen=True, slots=True)
class ErrorRates:
    """Errors per session or page load of a release and the one before, in the time compared."""

    unit: str
    """What errors are counted per: session, or load where no sessions are sent."""
    rate: float
    before_rate: float
    count: int
    before_count: int
    independent_count: float
    """So many independent errors would tell as much as those of the release."""
    largest_share: float
    """Of the errors compared, those of the user with most; 0: nobody is known."""
    ratio: Interval
    """1.8: 1.8 times as many errors, other things equal."""
    verdict: str
    reason: str
    """Why there is not enough data: few_users, one_user or drift; empty: the interval is too wide."""

    @property
    def still_needed(self) -> int:
        """How many more sessions or page loads of either release would tell that errors did not change; 0:
        unknown."""
        is_open = self.verdict == Verdict.NOT_ENOUGH_DATA and not self.reason
        if not is_open or min(*self.exposures, self.ratio.low) <= 0:
            return 0
        return still_needed(log(self.ratio.high / self.ratio.low) / 2, ERROR_MARGIN, *self.exposures)

    @property
    def exposures(self) -> tuple[float, float]:
        """Sessions or page loads of the release and the one before; 0 beside no error."""
        after = self.count / self.rate if self.rate else 0.0
        return after, self.before_count / self.before_rate if self.before_rate else 0.0


@dataclass(frozen=True, slots=True)
class ReleaseRow:
    """`effects` are of all pages together, by metric."""

    release: str
    environment: str
    previous_release: str
    first_view_at: datetime
    last_day: date
    view_count: int
    user_count: int
    load_ms_p50: float | None
    load_ms_p75: float | None
    load_ms_p95: float | None
    lcp_ms_p75: float | None
    js_bytes_p50: float | None
    api_ms: float | None
    error_count: int
    session_count: int
    crashed_count: int
    crash_free: Interval | None
    crash_free_change: Interval | None
    crash_free_users: Interval | None
    crash_free_users_change: Interval | None
    crash_verdict: str
    """By crash-free sessions; holds at any time of looking."""
    independent_sessions: float
    """So many independent sessions would tell as much."""
    new_issues: list[int]
    regressed_issues: list[int]
    look_hours: int
    next_look_at: datetime | None
    verdict: str
    moved_mix: list[str]
    """What its loads are of in other shares than those before: browsers, identified_users, unended_loads."""
    built_through: datetime
    as_of: datetime
    """All loads received before it are counted."""
    effects: dict[str, Effect]
    loads_through: datetime = END
    """Its own loads received before it are there to be counted."""
    is_counting: bool = False
    """Late days are still being counted: counts and percentiles lack loads that effects are computed from."""
    unended: Unended = field(default_factory=Unended)
    error_rates: ErrorRates | None = None
    """None: no release before, too few sessions and page loads, or no errors."""

    @property
    def overall_verdict(self) -> Verdict:
        """By load time and by errors, whichever is worse."""
        errors = self.error_rates.verdict if self.error_rates else Verdict.NOT_ENOUGH_DATA
        return overall(Verdict(self.verdict), Verdict(errors))

    @property
    def compared_count(self) -> int:
        """Its page loads that the effect on load time is computed from."""
        return self.effects[LOAD].after_count if LOAD in self.effects else 0

    @property
    def is_undecided(self) -> bool:
        """Whether loads were compared, and the interval of the effect holds both a change and none."""
        return self.verdict == Verdict.NOT_ENOUGH_DATA and LOAD in self.effects

    @property
    def still_needed(self) -> int:
        """How many more page loads of either release would tell that load time did not change; 0: unknown."""
        load = self.effects.get(LOAD)
        if load is None or load.ratio is None or self.verdict != Verdict.NOT_ENOUGH_DATA or load.reason:
            return 0
        reach = (load.ratio.high - load.ratio.low) / 2
        return still_needed(reach, MARGIN, load.after_count, load.before_count)

    @property
    def compared_before_count(self) -> int:
        """Number of the previous release's page loads used."""
        return self.effects[LOAD].before_count if LOAD in self.effects else 0


def releases(
    warehouse: Warehouse, project_id: int, since: datetime, environment: str = "", until: datetime = END
) -> list[ReleaseRow]:
    """Releases with page loads in a range, the latest first page load first, of one environment: that of
    most loads unless one is named."""
    rows = warehouse.rows(
        sql.query("releases_judged"),
        {"project_id": project_id, "environment": environment, "since": since, "until": until},
    )
    chosen = environment or _busiest(rows)
    rows = [row for row in rows if row["environment"] == chosen]
    effects = _effects(warehouse, project_id, rows, is_whole=True)
    (loads,) = published(warehouse.of([project_id]), [f"errata_mart.{LOADS}"]).values()
    found = [_release(row, effects.get(row["release"], []), loads, project_id) for row in rows]
    return sorted(found, key=lambda one: (one.first_view_at, one.release), reverse=True)


def as_of_releases(rows: Sequence[ReleaseRow]) -> datetime | None:
    """All loads of these releases received before it are counted, since what changes is judged again; None
    without releases."""
    newest = max((row.built_through for row in rows), default=EPOCH)
    judged = (row.as_of for row in rows if newest - row.built_through < AT_MOST_EVERY)
    return min([*judged, *(row.loads_through for row in rows)], default=None)


def release(warehouse: Warehouse, project_id: int, version: str, environment: str = "") -> ReleaseRow:
    for one in releases(warehouse, project_id, EPOCH, environment):
        if one.release == version:
            return one
    raise ReleaseNotFound(version)


def environments_with(warehouse: Warehouse, project_id: int, version: str) -> dict[str, bool]:
    """Environments in which anything received names the release, and whether page loads do: those first."""
    parameters = {"project_id": project_id, "release": version}
    rows = warehouse.rows(sql.query("release_received"), parameters)
    return {row["environment"]: bool(row["has_loads"]) for row in rows}


def effects_by_page(warehouse: Warehouse, project_id: int, of: ReleaseRow) -> list[Effect]:
    """Effects by page and metric, the most certain first."""
    build = {"environment": of.environment, "release": of.release, "built_through": of.built_through}
    return _effects(warehouse, project_id, [build], is_whole=False).get(of.release, [])


def changes_of_page(
    warehouse: Warehouse, project_id: int, page: str, metric: str, environment: str, since: datetime
) -> list[PageChange]:
    """Releases begun since then that changed this metric of the page, the latest first."""
    parameters = {
        "project_id": project_id,
        "page": page,
        "metric": metric,
        "environment": environment,
        "since": since,
    }
    return [
        typed(
            PageChange,
            row,
            effect=Interval(row["effect"], row["effect_low"], row["effect_high"]),
            ratio=_interval(row, "effect_ratio"),
        )
        for row in warehouse.rows(sql.query("releases_of_page"), parameters)
    ]


def _busiest(rows: Sequence[Row]) -> str:
    counts: dict[str, int] = {}
    for row in rows:
        counts[row["environment"]] = counts.get(row["environment"], 0) + row["view_count"]
    return max(counts, key=lambda name: (counts[name], name), default="")


def _effects(
    warehouse: Warehouse, project_id: int, rows: Sequence[Row], *, is_whole: bool
) -> dict[str, list[Effect]]:
    builds = [
        (row["environment"], row["release"], row["built_through"].isoformat(" ", "milliseconds")[:23])
        for row in rows
    ]
    found: dict[str, list[Effect]] = {}
    for first in range(0, len(builds), BUILDS_A_QUESTION):
        some = builds[first : first + BUILDS_A_QUESTION]
        parameters = {"project_id": project_id, "builds": some, "is_whole": is_whole}
        for row in warehouse.rows(sql.query("effects_of_releases"), parameters):
            found.setdefault(row["release"], []).append(_effect(row))
    return found


def _effect(row: Row) -> Effect:
    return typed(
        Effect,
        row,
        effect=Interval(row["effect"], row["effect_low"], row["effect_high"]),
        ratio=_interval(row, "effect_ratio"),
    )


def _release(row: Row, effects: Sequence[Effect], loads: Build, project_id: int) -> ReleaseRow:
    # The release's own figures follow the days' with its next build.
    is_behind = any(row["view_count"] < effect.after_count for effect in effects)
    about = {"project_id": project_id, "since": utc(row["first_view_at"])}
    loads_through = loads.as_of(about) or END
    return typed(
        ReleaseRow,
        row,
        crash_free=_interval({**row, "crash_free": row["crash_free_ratio"]}, "crash_free"),
        **{name: _interval(row, name) for name in INTERVALS},
        as_of=utc(row["counted_through"]),
        effects={effect.metric: effect for effect in effects},
        unended=_unended(row),
        error_rates=_error_rates(row),
        loads_through=loads_through,
        is_counting=is_behind or loads_through < (loads.through or EPOCH),
    )


def _error_rates(row: Row) -> ErrorRates | None:
    ratio = _interval(row, "error_ratio")
    if ratio is None:
        return None
    return ErrorRates(
        unit=row["error_rate_unit"],
        rate=row["error_rate"],
        before_rate=row["error_rate_before"],
        count=row["compared_errors"],
        before_count=row["compared_errors_before"],
        independent_count=row["independent_errors"],
        largest_share=row["error_largest_share"],
        ratio=ratio,
        verdict=row["error_verdict"],
        reason=row["error_reason"],
    )


def _unended(row: Row) -> Unended:
    known = [row[f"load_ms_{name}"] for name in NAMES]
    at_most = tuple(_known(row[f"load_ms_{name}_at_most"]) for name in NAMES)
    open_names = open_ones(known, at_most) if row["unended_count"] else ()
    return Unended(row["unended_count"], row["timed_count"], at_most, open_names)


def _interval(row: Row, name: str) -> Interval | None:
    """The value of this name with its bounds."""
    value = row[name]
    return None if isnan(value) else Interval(value, row[f"{name}_low"], row[f"{name}_high"])


def _known(value: Any) -> float | None:
    return None if isnan(value) else float(value)
