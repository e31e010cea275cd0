"""Figures and effects of releases, and the verdict for CI; as JSON or CSV."""

from datetime import UTC, date, datetime
from typing import Literal

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import BaseModel, Field

from api.authentication import DECLARED, Caller, CallerDependency, GateDependency
from api.context import Context, ContextDependency
from api.parameters import Moment, PeriodParameter
from api.problems import responses
from api.rest.performance import FAILURES
from api.rest.performance_filters import Environment
from api.tables import FILES_TOO, Format, table_file
from errata.period import Period
from errata.reports.release_headline import headline
from errata.warehouse.queries.performance import releases as questions
from errata.warehouse.queries.performance.releases import Effect, Interval, ReleaseRow, as_of_releases
from errata.warehouse.queries.vocabulary import issue_text

router = APIRouter(tags=["performance"])

Verdict = Literal["worse", "better", "no_change", "not_enough_data"]
DIGITS = 6


class ReleaseShown(BaseModel):
    release: str
    environment: str
    previous_release: str = Field(description="Release it is compared with; empty: no earlier one.")
    first_view_at: Moment = Field(description="First page load: when browsers first saw the release.")
    last_day: date
    view_count: int
    user_count: int = Field(description="Identified users in the compared loads.")
    load_ms_p50: float | None
    load_ms_p75: float | None
    load_ms_p95: float | None
    load_ms_unended_count: int = Field(
        description="Loads that had not ended when the SDK reported them: the percentiles are at least what "
        "they say."
    )
    load_ms_p50_at_most: float | None = Field(description="null: no bound, or nothing was measured.")
    load_ms_p75_at_most: float | None
    load_ms_p95_at_most: float | None
    lcp_ms_p75: float | None
    js_bytes_p50: float | None = Field(description="Compressed script bytes per page load.")
    api_ms: float | None = Field(description="Mean API call duration in page loads.")
    error_count: int
    verdict: Verdict = Field(description="Verdict on the load time of all pages.")
    overall_verdict: Verdict = Field(
        description="`worse` if load time or errors are worse; each is judged at its own 5%."
    )
    headline: str = Field(description="The overall verdict in words, with what it rests on.")
    judged_after_hours: int = Field(description="0: verdict pending.")
    next_look_at: Moment | None = Field(description="Time of the next analysis; null: final.")
    effect_ms: float | None = Field(description="Change of load time, at the previous release's median.")
    effect_ms_low: float | None = Field(description="Bound of its 95% interval.")
    effect_ms_high: float | None
    effect_ratio: float | None = Field(description="0.1 is 10% slower.")
    effect_ratio_low: float | None
    effect_ratio_high: float | None
    slower_probability: float | None
    compared_count: int = Field(
        description="Its page loads that the effects on load time are computed from; 0: no effect."
    )
    compared_before_count: int = Field(description="Those of the previous release.")
    independent_count: int = Field(
        description="So many independent loads would tell as much as `compared_count`: those of one user "
        "or hour are alike. 0: no effect."
    )
    not_enough_data_because: Literal["", "few_users", "one_user", "drift"] = Field(
        description="Set if users, rather than too few page loads, keep a verdict from being reached; or a "
        "drift, which began before the release and may be all that changed."
    )
    moved_mix: list[str] = Field(
        description="What the compared loads consist of in other shares than before, which no effect is "
        "adjusted for: browsers, identified_users, unended_loads."
    )
    is_counting: bool = Field(
        description="Late days are still being counted, for about an hour: counts and percentiles lack loads "
        "that effects are computed from."
    )
    errors_per: Literal["", "session", "load"] = Field(
        description="What errors are counted per: load where no sessions are sent; empty: nothing to compare."
    )
    error_rate: float | None = Field(
        description="Errors per session or page load in the time compared; of an identified user at most one "
        "in six hours."
    )
    error_rate_before: float | None = Field(description="That of the previous release.")
    compared_error_count: int = Field(description="Its errors that the rate is computed from.")
    compared_error_before_count: int
    independent_error_count: int = Field(
        description="So many independent errors would tell as much: those of one user or hour are alike."
    )
    largest_error_user_share: float = Field(
        description="Share of the user with most errors in the errors compared; 0: no user is identified."
    )
    error_ratio: float | None = Field(
        description="1.8: 1.8 times as many errors per session or page load as before, with a 95% interval."
    )
    error_ratio_low: float | None
    error_ratio_high: float | None
    error_verdict: Verdict = Field(description="Verdict on errors, judged when load time is.")
    errors_not_enough_data_because: Literal["", "few_users", "one_user", "drift"]
    loads_needed: int = Field(
        description="So many more page loads of either release will show that load time didn't change, if it "
        "didn't; 0: a verdict is known, or nothing is."
    )
    error_exposures_needed: int = Field(
        description="The same of errors, in sessions or page loads as `errors_per` says."
    )
    session_count: int
    crash_free_ratio: float | None
    crash_free_low: float | None
    crash_free_high: float | None
    crash_free_change: float | None = Field(
        description="Change vs the previous release at the same hours of the week, with a 95% interval."
    )
    crash_free_change_low: float | None
    crash_free_change_high: float | None
    independent_session_count: int = Field(
        description="So many independent sessions would tell as much: those of one user or hour are alike."
    )
    crash_free_users: float | None = Field(
        description="Share of identified users none of whose sessions crashed, with a 95% interval."
    )
    crash_free_users_low: float | None
    crash_free_users_high: float | None
    crash_free_users_change: float | None = Field(
        description="Change between the whole times of both releases, not at the same hours: no verdict. The "
        "longer a release runs, the more of its users meet a crash."
    )
    crash_free_users_change_low: float | None
    crash_free_users_change_high: float | None
    crash_verdict: Verdict = Field(
        description="Verdict on crash-free sessions, whose bounds hold at any time of looking."
    )
    new_issue_count: int
    regressed_issue_count: int

    @classmethod
    def of(cls, row: ReleaseRow) -> "ReleaseShown":
        load, errors = row.effects.get(questions.LOAD), row.error_rates
        return cls(
            release=row.release,
            environment=row.environment,
            previous_release=row.previous_release,
            first_view_at=row.first_view_at,
            last_day=row.last_day,
            view_count=row.view_count,
            user_count=row.user_count,
            load_ms_p50=_rounded(row.load_ms_p50),
            load_ms_p75=_rounded(row.load_ms_p75),
            load_ms_p95=_rounded(row.load_ms_p95),
            load_ms_unended_count=row.unended.count,
            load_ms_p50_at_most=_rounded(row.unended.at_most[0]),
            load_ms_p75_at_most=_rounded(row.unended.at_most[1]),
            load_ms_p95_at_most=_rounded(row.unended.at_most[2]),
            lcp_ms_p75=_rounded(row.lcp_ms_p75),
            js_bytes_p50=_rounded(row.js_bytes_p50),
            api_ms=_rounded(row.api_ms),
            error_count=row.error_count,
            verdict=row.verdict,  # type: ignore[arg-type]
            overall_verdict=row.overall_verdict.value,
            headline=headline(row),
            judged_after_hours=row.look_hours,
            next_look_at=row.next_look_at,
            slower_probability=_rounded(load.slower_probability) if load else None,
            compared_count=row.compared_count,
            compared_before_count=row.compared_before_count,
            independent_count=load.independent_count if load else 0,
            not_enough_data_because=load.reason if load else "",  # type: ignore[arg-type]
            moved_mix=row.moved_mix,
            is_counting=row.is_counting,
            errors_per=errors.unit if errors else "",  # type: ignore[arg-type]
            error_rate=_rounded(errors.rate if errors else None),
            error_rate_before=_rounded(errors.before_rate if errors else None),
            compared_error_count=errors.count if errors else 0,
            compared_error_before_count=errors.before_count if errors else 0,
            independent_error_count=round(errors.independent_count) if errors else 0,
            largest_error_user_share=round(errors.largest_share, DIGITS) if errors else 0.0,
            error_verdict=errors.verdict if errors else "not_enough_data",  # type: ignore[arg-type]
            errors_not_enough_data_because=errors.reason if errors else "",  # type: ignore[arg-type]
            loads_needed=row.still_needed,
            error_exposures_needed=errors.still_needed if errors else 0,
            session_count=row.session_count,
            independent_session_count=round(row.independent_sessions),
            crash_verdict=row.crash_verdict,  # type: ignore[arg-type]
            new_issue_count=len(row.new_issues),
            regressed_issue_count=len(row.regressed_issues),
            **_bounds("effect_ms", load.effect if load else None),
            **_bounds("effect_ratio", load.ratio if load else None),
            **_bounds("error_ratio", errors.ratio if errors else None),
            **_bounds("crash_free", row.crash_free, "crash_free_ratio"),
            **_bounds("crash_free_change", row.crash_free_change),
            **_bounds("crash_free_users", row.crash_free_users),
            **_bounds("crash_free_users_change", row.crash_free_users_change),
        )


class EffectShown(BaseModel):
    page: str = Field(description="Empty: all pages together.")
    metric: str
    verdict: Verdict
    before_count: int = Field(description="Comparable page loads of the previous release.")
    after_count: int
    user_count: int
    independent_count: int = Field(
        description="So many independent page loads would tell as much as `after_count`."
    )
    largest_user_share: float = Field(
        description="Share of the most active user in the page loads compared; 0: no user is identified."
    )
    is_constant: bool = Field(description="All values of a release, page and device are equal.")
    not_enough_data_because: Literal["", "few_users", "one_user", "drift"]
    before_p50: float
    after_p50: float
    before_p75: float
    after_p75: float
    effect: float = Field(description="In the metric's unit, at the previous release's median.")
    effect_low: float = Field(description="Bound of its 95% interval.")
    effect_high: float
    effect_ratio: float | None = Field(description="0.1 is 10% more; null for CLS.")
    effect_ratio_low: float | None
    effect_ratio_high: float | None
    slower_probability: float = Field(description="Probability that the release is slower or larger.")
    superiority: float = Field(
        description="Share of comparable pairs of page loads in which the later release is slower."
    )
    p_value: float = Field(description="p-value of the stratified Mann-Whitney test.")
    q_value: float | None = Field(description="q-value over pages and metrics; null for all pages together.")

    @classmethod
    def of(cls, row: Effect) -> "EffectShown":
        return cls(
            page=row.page,
            metric=row.metric,
            verdict=row.verdict,  # type: ignore[arg-type]
            before_count=row.before_count,
            after_count=row.after_count,
            user_count=row.user_count,
            independent_count=row.independent_count,
            largest_user_share=round(row.largest_share, DIGITS),
            is_constant=row.is_constant,
            not_enough_data_because=row.reason,  # type: ignore[arg-type]
            before_p50=round(row.before_p50, DIGITS),
            after_p50=round(row.after_p50, DIGITS),
            before_p75=round(row.before_p75, DIGITS),
            after_p75=round(row.after_p75, DIGITS),
            slower_probability=round(row.slower_probability, DIGITS),
            superiority=round(row.superiority, DIGITS),
            p_value=row.p_value,
            q_value=row.q_value,
            effect=round(row.effect.value, DIGITS),
            effect_low=round(row.effect.low, DIGITS),
            effect_high=round(row.effect.high, DIGITS),
            **_bounds("effect_ratio", row.ratio),
        )


class ReleaseTable(BaseModel):
    releases: list[ReleaseShown]
    as_of: Moment | None


class ReleaseVerdict(ReleaseShown):
    effects: list[EffectShown] = Field(
        description="All pages together first, then each page and metric, most certain first."
    )
    new_issues: list[str] = Field(description="IDs of issues first seen in this release.")
    regressed_issues: list[str] = Field(description="IDs of issues that regressed in this release.")
    as_of: Moment


@router.get(
    "/api/projects/{slug}/performance/releases",
    operation_id="performance_releases",
    summary="List releases with their metrics and effects",
    dependencies=DECLARED,
    response_model=ReleaseTable,
    responses={**FAILURES, **FILES_TOO},
)
def releases(
    slug: str,
    asking: CallerDependency,
    context: ContextDependency,
    period: PeriodParameter = Period("90d"),
    environment: Environment = "",
    format: Format = "json",  # noqa: A002
) -> ReleaseTable | Response:
    """The latest first, of one environment: by default, that of most page loads."""
    span = period.at(datetime.now(UTC))
    rows = questions.releases(
        context.read, _project(context, asking, slug), span.since, environment, span.until
    )
    shown = [ReleaseShown.of(row) for row in rows]
    if format != "json":
        return table_file(format, f"{slug}-releases", ReleaseShown, shown)
    return ReleaseTable(releases=shown, as_of=as_of_releases(rows))


@router.get(
    "/api/projects/{slug}/performance/releases/{version:path}/verdict",
    operation_id="release_verdict",
    summary="Get a release's verdict vs the previous release",
    dependencies=DECLARED,
    response_model=ReleaseVerdict,
    responses={**FAILURES, **responses("release_not_found"), **FILES_TOO},
)
def verdict(
    slug: str,
    version: str,
    asking: GateDependency,
    context: ContextDependency,
    environment: Environment = "",
    format: Format = "json",  # noqa: A002
) -> ReleaseVerdict | Response:
    """For CI: `verdict` is the result, `effects` the reasons. As CSV or Parquet: the effects."""
    project_id = _project(context, asking, slug)
    row = questions.release(context.read, project_id, version, environment)
    by_page = questions.effects_by_page(context.read, project_id, row)
    effects = [EffectShown.of(one) for one in (*row.effects.values(), *by_page)]
    if format != "json":
        return table_file(format, f"{slug}-effects", EffectShown, effects)
    return ReleaseVerdict(
        **ReleaseShown.of(row).model_dump(),
        effects=effects,
        new_issues=[issue_text(one) for one in row.new_issues],
        regressed_issues=[issue_text(one) for one in row.regressed_issues],
        as_of=row.as_of,
    )


def _project(context: Context, asking: Caller, slug: str) -> int:
    return asking.project(context, slug).id


def _bounds(name: str, known: Interval | None, value_name: str = "") -> dict[str, float | None]:
    return {
        value_name or name: _rounded(known.value) if known else None,
        f"{name}_low": _rounded(known.low) if known else None,
        f"{name}_high": _rounded(known.high) if known else None,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)
