"""The overview of a project as JSON."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from api.authentication import DECLARED, CallerDependency
from api.context import ContextDependency
from api.overview import ProjectOverview
from api.overview_figures import P75
from api.parameters import Moment, PeriodParameter
from api.problems import responses
from api.shown import Shown
from errata.period import Period
from errata.reports.release_headline import headline

router = APIRouter(tags=["projects"])

Environment = Annotated[str, Query(max_length=64, description="Only this one; empty: all.")]


class LoadsShown(BaseModel):
    view_count: int
    load_ms_p75: float | None
    load_ms_unended_count: int = Field(
        description=(
            "Loads that had not finished when the SDK reported them, so `load_ms_p75` is a lower bound."
        )
    )
    load_ms_p75_at_most: float | None = Field(description="null: no bound, or nothing was measured.")
    lcp_ms_p75: float | None
    inp_ms_p75: float | None
    cls_p75: float | None


class CallsShown(Shown):
    call_count: int
    p95_ms: float | None
    error_ratio: float | None


class FigureShown(Shown):
    name: str = Field(
        description="`crash_free_sessions`, `crash_free_users`, `load_ms`, `lcp_ms`, `inp_ms` or `cls` "
        "(p75), `server_ms` (p95) or `server_error_ratio`."
    )
    value: float
    change: float | None = Field(
        description=(
            "Change vs the previous period: in points for shares (0.01 is one point), otherwise relative "
            "(0.1 is 10% more); null if either period has too little data."
        )
    )
    is_better: bool | None
    sample_count: int | None = Field(
        description="Number of sessions, users or calls behind `value`; null for page loads."
    )
    budget: float | None = Field(
        validation_alias="limit", description="The lowest limit of a budget for this figure."
    )


class IssueNamed(Shown):
    id: str
    title: str
    event_count: int
    user_count: int


class IssuesShown(Shown):
    count: int = Field(description="At most 100 are counted.")
    unassigned_count: int
    is_more: bool
    issues: list[IssueNamed] = Field(validation_alias="shown", description="Issues with the most events.")


class NewestRelease(Shown):
    release: str
    verdict: str = Field(description="`worse`, `better`, `no_change` or `not_enough_data`; empty: pending.")
    overall_verdict: str = Field(
        description="Verdict on load time and errors; `verdict` is on load time only."
    )
    headline: str = Field(description="The overall verdict as a sentence, with the reasons.")
    first_view_at: Moment
    crash_free_ratio: float | None


class HostSeen(Shown):
    host: str
    last_received_at: Moment
    missing_bytes: int


class StepShown(Shown):
    name: str
    count: int


class OverviewShown(BaseModel):
    figures: list[FigureShown]
    loads: LoadsShown | None
    calls: CallsShown | None
    new_issues: IssuesShown
    regressed_issues: IssuesShown
    release: NewestRelease | None
    budgets: dict[str, int] = Field(description="Budgets by state.")
    hosts: list[HostSeen]
    next_steps: list[StepShown] = Field(description="The most urgent first.")
    as_of: Moment | None = Field(
        description="Time of the figures for page loads and calls; issues are up to date."
    )

    @classmethod
    def of(cls, found: ProjectOverview) -> "OverviewShown":
        states = [history.standing.value for _, history in found.budgets]
        loads, calls, release = found.loads, found.calls, found.release
        return cls(
            figures=[FigureShown.of(one) for one in found.figures],
            loads=LoadsShown(
                view_count=loads.view_count,
                load_ms_p75=loads["load_ms"].p75,
                load_ms_unended_count=loads.unended.count,
                load_ms_p75_at_most=loads.unended.at_most[P75],
                lcp_ms_p75=loads["lcp_ms"].p75,
                inp_ms_p75=loads["inp_ms"].p75,
                cls_p75=loads["cls"].p75,
            )
            if loads
            else None,
            calls=CallsShown.of(calls) if calls else None,
            new_issues=IssuesShown.of(found.new),
            regressed_issues=IssuesShown.of(found.regressed),
            release=NewestRelease.of(
                release,
                headline=headline(release),
                crash_free_ratio=release.crash_free.value if release.crash_free else None,
            )
            if release
            else None,
            budgets={state: states.count(state) for state in dict.fromkeys(states)},
            hosts=[HostSeen.of(row) for row in found.hosts],
            next_steps=[StepShown.of(step) for step in found.next_steps],
            as_of=found.as_of,
        )


@router.get(
    "/api/projects/{slug}/overview",
    operation_id="overview",
    summary="Get a project overview",
    dependencies=DECLARED,
    responses=responses(
        "invalid_parameter",
        "invalid_api_key",
        "project_not_found",
        "state_unavailable",
        "warehouse_unavailable",
    ),
)
def overview(
    slug: str,
    asking: CallerDependency,
    context: ContextDependency,
    period: PeriodParameter = Period("24h"),
    environment: Environment = "",
) -> OverviewShown:
    project = asking.project(context, slug)
    found = ProjectOverview(context, asking.organization_id, project, period, environment, datetime.now(UTC))
    return OverviewShown.of(found)
