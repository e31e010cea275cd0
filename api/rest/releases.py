"""Figures and effects of releases, and the verdict for CI; as JSON or CSV."""

from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import AliasPath, BaseModel, Field

from api.authentication import DECLARED, Caller, CallerDependency, GateDependency
from api.context import Context, ContextDependency
from api.parameters import Moment, PeriodParameter
from api.problems import responses
from api.rest.performance import FAILURES
from api.rest.performance_filters import Environment
from api.shown import IssueIdText, Shown, digits
from api.tables import FILES_TOO, Format, table_file
from errata.period import Period
from errata.reports.release_headline import headline
from errata.warehouse.queries.performance import releases as questions
from errata.warehouse.queries.performance.releases import Interval, ReleaseRow, as_of_releases

router = APIRouter(tags=["performance"])

Verdict = Literal["worse", "better", "no_change", "not_enough_data"]
Rounded = Annotated[float, digits(6)]


class ReleaseShown(Shown):
    release: str
    environment: str
    previous_release: str = Field(description="Release it is compared with; empty: no earlier one.")
    first_view_at: Moment = Field(description="First page load: when browsers first saw the release.")
    last_day: date
    view_count: int
    user_count: int = Field(description="Identified users in the compared loads.")
    load_ms_p50: Rounded | None
    load_ms_p75: Rounded | None
    load_ms_p95: Rounded | None
    load_ms_unended_count: int = Field(
        validation_alias=AliasPath("unended", "count"),
        description=(
            "Loads that had not finished when the SDK reported them, so the percentiles are lower bounds."
        ),
    )
    load_ms_p50_at_most: Rounded | None = Field(
        validation_alias=AliasPath("unended", "at_most", 0),
        description="null: no bound, or nothing was measured.",
    )
    load_ms_p75_at_most: Rounded | None = Field(validation_alias=AliasPath("unended", "at_most", 1))
    load_ms_p95_at_most: Rounded | None = Field(validation_alias=AliasPath("unended", "at_most", 2))
    lcp_ms_p75: Rounded | None
    js_bytes_p50: Rounded | None = Field(description="Compressed script bytes per page load.")
    api_ms: Rounded | None = Field(description="Mean API call duration in page loads.")
    error_count: int
    verdict: Verdict = Field(description="Verdict on the load time of all pages.")
    overall_verdict: Verdict = Field(
        description="`worse` if load time or errors are worse; each is judged at its own 5%."
    )
    headline: str = Field(description="The overall verdict as a sentence, with the reasons.")
    judged_after_hours: int = Field(validation_alias="look_hours", description="0: verdict pending.")
    next_look_at: Moment | None = Field(description="Time of the next analysis; null: final.")
    effect_ms: Rounded | None = Field(description="Change of load time, at the previous release's median.")
    effect_ms_low: Rounded | None = Field(description="Bound of its 95% interval.")
    effect_ms_high: Rounded | None
    effect_ratio: Rounded | None = Field(description="0.1 is 10% slower.")
    effect_ratio_low: Rounded | None
    effect_ratio_high: Rounded | None
    slower_probability: Rounded | None
    compared_count: int = Field(
        description="Number of the release's page loads used for the effects on load time; 0: no effect."
    )
    compared_before_count: int = Field(description="Number of the previous release's page loads used.")
    independent_count: int = Field(
        description=(
            "Effective sample size of `compared_count`, since loads of the same user or hour are alike; 0: "
            "no effect."
        )
    )
    not_enough_data_because: Literal["", "few_users", "one_user", "drift"] = Field(
        description=(
            "Why there is no verdict despite enough page loads: too few users, one dominant user, or a drift "
            "that started before the release."
        )
    )
    moved_mix: list[str] = Field(
        description=(
            "What changed in the mix of compared loads, which no effect is adjusted for: `browsers`, "
            "`identified_users`, `unended_loads`."
        )
    )
    is_counting: bool = Field(
        description=(
            "Whether late data is still being counted, for about an hour; counts and percentiles then lack "
            "loads that effects already include."
        )
    )
    errors_per: Literal["", "session", "load"] = Field(
        description=(
            "What errors are counted per: `session`, or `load` if no sessions are sent; empty: nothing to "
            "compare."
        )
    )
    error_rate: Rounded | None = Field(
        description=(
            "Errors per session or page load in the compared time; an identified user counts at most once in "
            "six hours."
        )
    )
    error_rate_before: Rounded | None = Field(description="Error rate of the previous release.")
    compared_error_count: int = Field(description="Number of errors behind the rate.")
    compared_error_before_count: int
    independent_error_count: int = Field(
        description="Effective sample size, since errors of the same user or hour are alike."
    )
    largest_error_user_share: Rounded = Field(
        description="Share of the compared errors from the user with the most; 0: no user is identified."
    )
    error_ratio: Rounded | None = Field(
        description=(
            "Error rate relative to the previous release (1.8 is 1.8 times as many), with a 95% interval."
        )
    )
    error_ratio_low: Rounded | None
    error_ratio_high: Rounded | None
    error_verdict: Verdict = Field(description="Verdict on errors, evaluated together with load time.")
    errors_not_enough_data_because: Literal["", "few_users", "one_user", "drift"]
    loads_needed: int = Field(
        validation_alias="still_needed",
        description=(
            "Additional page loads needed of each release to show that load time didn't change, if it "
            "didn't; 0: a verdict is known, or nothing is."
        ),
    )
    error_exposures_needed: int = Field(
        description="The same for errors, in sessions or page loads (see `errors_per`)."
    )
    session_count: int
    crash_free_ratio: Rounded | None
    crash_free_low: Rounded | None
    crash_free_high: Rounded | None
    crash_free_change: Rounded | None = Field(
        description="Change vs the previous release at the same hours of the week, with a 95% interval."
    )
    crash_free_change_low: Rounded | None
    crash_free_change_high: Rounded | None
    independent_session_count: int = Field(
        description="Effective sample size, since sessions of the same user or hour are alike."
    )
    crash_free_users: Rounded | None = Field(
        description="Share of identified users without a crashed session, with a 95% interval."
    )
    crash_free_users_low: Rounded | None
    crash_free_users_high: Rounded | None
    crash_free_users_change: Rounded | None = Field(
        description=(
            "Change between the full lifetimes of both releases, not at the same hours, so it isn't a "
            "verdict: the longer a release runs, the more of its users hit a crash."
        )
    )
    crash_free_users_change_low: Rounded | None
    crash_free_users_change_high: Rounded | None
    crash_verdict: Verdict = Field(description="Verdict on crash-free sessions; its bounds hold at any time.")
    new_issue_count: int
    regressed_issue_count: int


class EffectShown(Shown):
    page: str = Field(description="Empty: all pages together.")
    metric: str
    verdict: Verdict
    before_count: int = Field(description="Comparable page loads of the previous release.")
    after_count: int
    user_count: int
    independent_count: int = Field(description="Effective sample size of `after_count`.")
    largest_user_share: Rounded = Field(
        validation_alias="largest_share",
        description="Share of the compared page loads from the most active user; 0: no user is identified.",
    )
    is_constant: bool = Field(description="Whether all values of a release, page and device are equal.")
    not_enough_data_because: Literal["", "few_users", "one_user", "drift"] = Field(validation_alias="reason")
    before_p50: Rounded
    after_p50: Rounded
    before_p75: Rounded
    after_p75: Rounded
    effect: Rounded = Field(
        validation_alias=AliasPath("effect", "value"),
        description="In the metric's unit, at the previous release's median.",
    )
    effect_low: Rounded = Field(
        validation_alias=AliasPath("effect", "low"), description="Bound of its 95% interval."
    )
    effect_high: Rounded = Field(validation_alias=AliasPath("effect", "high"))
    effect_ratio: Rounded | None = Field(description="0.1 is 10% more; null for CLS.")
    effect_ratio_low: Rounded | None
    effect_ratio_high: Rounded | None
    slower_probability: Rounded = Field(description="Probability that the release is slower or larger.")
    superiority: Rounded = Field(
        description="Share of comparable pairs of page loads in which the later release is slower."
    )
    p_value: float = Field(description="p-value of the stratified Mann-Whitney test.")
    q_value: float | None = Field(description="q-value over pages and metrics; null for all pages together.")


class ReleaseTable(BaseModel):
    releases: list[ReleaseShown]
    as_of: Moment | None


class ReleaseVerdict(ReleaseShown):
    effects: list[EffectShown] = Field(
        description="All pages together first, then each page and metric, most certain first."
    )
    new_issues: list[IssueIdText] = Field(description="IDs of issues first seen in this release.")
    regressed_issues: list[IssueIdText] = Field(description="IDs of issues that regressed in this release.")
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
    """Latest first, for one environment: by default, the one with the most page loads."""
    span = period.at(datetime.now(UTC))
    rows = questions.releases(
        context.read, _project(context, asking, slug), span.since, environment, span.until
    )
    shown = [ReleaseShown.of(row, **_computed(row)) for row in rows]
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
    effects = [
        EffectShown.of(one, **_bounds("effect_ratio", one.ratio)) for one in (*row.effects.values(), *by_page)
    ]
    if format != "json":
        return table_file(format, f"{slug}-effects", EffectShown, effects)
    return ReleaseVerdict.of(row, **_computed(row), effects=effects)


def _project(context: Context, asking: Caller, slug: str) -> int:
    return asking.project(context, slug).id


def _computed(row: ReleaseRow) -> dict[str, Any]:
    """Fields that are no attributes of the row: the effects on load time and errors, and counts of issues."""
    load, errors = row.effects.get(questions.LOAD), row.error_rates
    return {
        "headline": headline(row),
        "slower_probability": load.slower_probability if load else None,
        "independent_count": load.independent_count if load else 0,
        "not_enough_data_because": load.reason if load else "",
        "errors_per": errors.unit if errors else "",
        "error_rate": errors.rate if errors else None,
        "error_rate_before": errors.before_rate if errors else None,
        "compared_error_count": errors.count if errors else 0,
        "compared_error_before_count": errors.before_count if errors else 0,
        "independent_error_count": round(errors.independent_count) if errors else 0,
        "largest_error_user_share": errors.largest_share if errors else 0.0,
        "error_verdict": errors.verdict if errors else "not_enough_data",
        "errors_not_enough_data_because": errors.reason if errors else "",
        "error_exposures_needed": errors.still_needed if errors else 0,
        "independent_session_count": round(row.independent_sessions),
        "new_issue_count": len(row.new_issues),
        "regressed_issue_count": len(row.regressed_issues),
        **_bounds("effect_ms", load.effect if load else None),
        **_bounds("effect_ratio", load.ratio if load else None),
        **_bounds("error_ratio", errors.ratio if errors else None),
        **_bounds("crash_free", row.crash_free, "crash_free_ratio"),
        **_bounds("crash_free_change", row.crash_free_change),
        **_bounds("crash_free_users", row.crash_free_users),
        **_bounds("crash_free_users_change", row.crash_free_users_change),
    }


def _bounds(name: str, known: Interval | None, value_name: str = "") -> dict[str, float | None]:
    return {
        value_name or name: known.value if known else None,
        f"{name}_low": known.low if known else None,
        f"{name}_high": known.high if known else None,
    }
