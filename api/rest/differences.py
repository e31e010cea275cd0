"""What's different about an issue."""

from datetime import UTC, datetime
from math import isinf

from fastapi import APIRouter
from pydantic import BaseModel, Field

from api.authentication import DECLARED, CallerDependency
from api.context import ContextDependency
from api.parameters import PeriodParameter
from api.problems import responses
from api.rest.issues import READ_CODES, Environment, IssueId, project_of
from errata.differences.dominance import SourceKind
from errata.differences.findings import Finding, Verdict
from errata.period import Period
from errata.warehouse.queries.issue.differences import Differences, differences_of_issue
from errata.warehouse.queries.membership import decided_merges

router = APIRouter(tags=["issues"])


class DifferenceShown(BaseModel):
    tag: str
    value: str
    issue_share: float = Field(description="Share of the issue's users who have the value.")
    rest_share: float = Field(
        description="Share of other users, weighted by the issue's mix of environments."
    )
    issue_count: int = Field(description="Number of the issue's users who have the value.")
    rest_count: int = Field(description="Number of other users who have the value.")
    lift: float = Field(description="How many times as frequent; shrunk toward 1 for few users.")
    lift_low: float = Field(description="Lower bound of the interval.")
    lift_high: float | None = Field(description="Upper bound of the interval; null: unbounded.")
    p_value: float
    importance: float = Field(
        description="Lower bound of the share of the issue's users in excess, or lacking."
    )

    @classmethod
    def of(cls, finding: Finding) -> "DifferenceShown":
        high = finding.interval.high
        return cls(
            tag=finding.tag,
            value=finding.value,
            issue_share=finding.issue_share,
            rest_share=finding.rest_share,
            issue_count=finding.issue_count,
            rest_count=finding.rest_count,
            lift=finding.lift,
            lift_low=finding.interval.low,
            lift_high=None if isinf(high) else high,
            p_value=finding.p_value,
            importance=finding.importance,
        )


class ToldShown(DifferenceShown):
    along: list[DifferenceShown] = Field(description="Findings with the same meaning.")


class DominantSourceShown(BaseModel):
    kind: SourceKind
    name: str = Field(description="User, job and server, tenant, or the id of a replay or trace.")
    share: float = Field(description="Share of the issue's events.")


class DifferencesShown(BaseModel):
    verdict: Verdict = Field(
        description="`too_few`: too few independent sources of the issue or of others, as far as is known, "
        "to find even a large difference; `no_rest`: nothing to compare with."
    )
    differences: list[ToldShown] = Field(description="Most important first.")
    tested_count: int = Field(description="Number of values tested together.")
    interval_level: float = Field(description="Share of the intervals expected to miss the true value.")
    issue_events: int
    rest_events: int
    issue_sources: int = Field(
        description="Users compared, or replays, traces and events if users aren't identified."
    )
    rest_sources: int
    effective_sources: float = Field(
        description="Number of independent sources of the issue that would tell as much."
    )
    users_only: bool = Field(description="Events of neither a known user nor a known tenant were left out.")
    dominant_source: DominantSourceShown | None = Field(
        description="The user, visit, trace, job or tenant that dominates the issue's events, if any."
    )
    environments: list[str]
    platforms: list[str]

    @classmethod
    def of(cls, different: Differences) -> "DifferencesShown":
        return cls(
            verdict=different.verdict,
            differences=[
                ToldShown(
                    **DifferenceShown.of(distinct.finding).model_dump(),
                    along=[DifferenceShown.of(each) for each in distinct.along],
                )
                for distinct in different.findings
            ],
            tested_count=different.tested_count,
            interval_level=different.interval_level,
            issue_events=different.issue_events,
            rest_events=different.rest_events,
            issue_sources=different.issue_sources,
            rest_sources=different.rest_sources,
            effective_sources=different.effective[0],
            users_only=different.is_of_known,
            dominant_source=(
                DominantSourceShown(
                    kind=different.dominant.kind, name=different.dominant.name, share=different.dominant.share
                )
                if different.dominant
                else None
            ),
            environments=list(different.environments),
            platforms=list(different.platforms),
        )


@router.get(
    "/api/issues/{issue_id}/different",
    operation_id="issue_differences",
    summary="List what's different about an issue compared with the other issues' events",
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
    """At most one in twenty findings is expected to be chance."""
    _, project_id = project_of(context, asking, issue_id)
    root = decided_merges(context.read, project_id).root(int(issue_id, 16))
    return DifferencesShown.of(
        differences_of_issue(context.read, project_id, root, period.of_events(datetime.now(UTC)), environment)
    )
