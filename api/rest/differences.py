"""What's different about an issue."""

from datetime import UTC, datetime
from math import isfinite
from typing import Annotated

from fastapi import APIRouter
from pydantic import AliasPath, BeforeValidator, Field

from api.authentication import DECLARED, CallerDependency
from api.context import ContextDependency
from api.parameters import PeriodParameter
from api.problems import responses
from api.rest.issues import READ_CODES, Environment, IssueId, project_of
from api.shown import Shown
from errata.differences.dominance import SourceKind
from errata.differences.findings import Verdict
from errata.period import Period
from errata.warehouse.queries.issue.differences import Differences, differences_of_issue
from errata.warehouse.queries.membership import decided_merges

router = APIRouter(tags=["issues"])


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


class DifferenceShown(Shown):
    tag: str
    value: str
    issue_share: float = Field(description="Share of the issue's users who have the value.")
    rest_share: float = Field(
        description="Share of other users, weighted by the issue's mix of environments."
    )
    issue_count: int = Field(description="Number of the issue's users who have the value.")
    rest_count: int = Field(description="Number of other users who have the value.")
    lift: float = Field(description="Ratio of the two shares; shrunk toward 1 for few users.")
    lift_low: float = Field(
        validation_alias=AliasPath("interval", "low"), description="Lower bound of the interval."
    )
    lift_high: Annotated[float | None, BeforeValidator(_finite)] = Field(
        validation_alias=AliasPath("interval", "high"),
        description="Upper bound of the interval; null: unbounded.",
    )
    p_value: float
    importance: float = Field(description="Lower bound of the excess or missing share of the issue's users.")


class ToldShown(DifferenceShown):
    along: list[DifferenceShown] = Field(description="Findings with the same meaning.")


class DominantSourceShown(Shown):
    kind: SourceKind
    name: str = Field(description="User, job and server, tenant, or the id of a replay or trace.")
    share: float = Field(description="Share of the issue's events.")


class DifferencesShown(Shown):
    verdict: Verdict = Field(
        description=(
            "`too_few`: too few known independent sources of the issue or of others to find even a large "
            "difference; `no_rest`: nothing to compare with."
        )
    )
    differences: list[ToldShown] = Field(description="Most important first.")
    tested_count: int = Field(description="Number of values tested together.")
    interval_level: float = Field(description="Share of the intervals expected to miss the true value.")
    issue_events: int
    rest_events: int
    issue_sources: int = Field(
        description="Number of users compared, or of replays, traces and events if users aren't identified."
    )
    rest_sources: int
    effective_sources: float = Field(
        validation_alias=AliasPath("effective", 0),
        description="Effective sample size: the equivalent number of independent sources.",
    )
    users_only: bool = Field(
        validation_alias="is_of_known",
        description="Whether events without a known user or tenant were left out.",
    )
    dominant_source: DominantSourceShown | None = Field(
        validation_alias="dominant",
        description="The user, visit, trace, job or tenant that dominates the issue's events, if any.",
    )
    environments: list[str]
    platforms: list[str]


@router.get(
    "/api/issues/{issue_id}/different",
    operation_id="issue_differences",
    summary="List what's different about an issue, compared with events of other issues",
    dependencies=DECLARED,
    responses=responses(*READ_CODES, "issue_not_found"),
)
def different(
    issue_id: IssueId,
    asking: CallerDependency,
    context: ContextDependency,
    environment: Environment = "",
    period: PeriodParameter = Period("14d"),
) -> DifferencesShown:
    """At most one in twenty findings is expected to be due to chance."""
    _, project_id = project_of(context, asking, issue_id)
    root = decided_merges(context.read, project_id).root(int(issue_id, 16))
    return _shown(
        differences_of_issue(context.read, project_id, root, period.of_events(datetime.now(UTC)), environment)
    )


def _shown(different: Differences) -> DifferencesShown:
    told = [ToldShown.of(distinct.finding, along=distinct.along) for distinct in different.findings]
    return DifferencesShown.of(different, differences=told)
