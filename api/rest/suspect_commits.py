"""Commits that may have caused issues: of one issue, and of all that a release brought."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import AliasPath, Field

from api.authentication import DECLARED, CallerDependency, GateDependency
from api.context import Context, ContextDependency
from api.parameters import Moment
from api.problems import responses
from api.regrouping import grouping_in_force
from api.rest.issues import READ_CODES, IssueId, head_of, project_of
from api.rest.performance import FAILURES
from api.rest.performance_filters import Environment
from api.shown import IssueIdText, Shown
from errata.grouping.rules import GroupingRules
from errata.period import Period
from errata.suspects import suspect_commits
from errata.warehouse.queries.issue.head import IssueHead, issue_head
from errata.warehouse.queries.performance.releases import release as release_row

router = APIRouter()

# Each costs a few queries.
MOST_ISSUES = 20
UnknownBecause = Annotated[
    Literal["no_commits", "no_stack", "no_match", "ambiguous"] | None,
    Field(
        description=(
            "Why no commit is suspected: no commits were sent for the release, the stack has no application "
            "file, none of these files was changed, or a file matches several changed ones. Null if there "
            "are suspects."
        )
    ),
]


class SuspectShown(Shown):
    commit_id: str = Field(validation_alias=AliasPath("commit", "commit_id"))
    title: str = Field(
        validation_alias=AliasPath("commit", "title"), description="First line of the message."
    )
    author_name: str = Field(validation_alias=AliasPath("commit", "author_name"))
    committed_at: Moment | None = Field(validation_alias=AliasPath("commit", "committed_at"))
    path: str = Field(description="Changed file that is in the stack.")
    frame_position: int = Field(
        description="Number of application files in the stack that are nearer to the error."
    )


class SuspectsShown(Shown):
    release: str = Field(
        description="Release whose commits were searched; empty if the issue has no release."
    )
    suspects: list[SuspectShown] = Field(description="Nearest to the error first, at most five.")
    unknown_because: UnknownBecause


class IssueOfRelease(SuspectsShown):
    id: IssueIdText
    title: str
    culprit: str


class IssuesOfRelease(Shown):
    new_issues: list[IssueOfRelease] = Field(description="First seen in this release; at most 20.")
    regressed_issues: list[IssueOfRelease] = Field(description="Regressed in this release; at most 20.")


@router.get(
    "/api/issues/{issue_id}/suspect-commits",
    operation_id="suspect_commits",
    summary="List commits that may have caused an issue",
    tags=["issues"],
    dependencies=DECLARED,
    responses=responses(*READ_CODES, "issue_not_found"),
)
def suspects_of_issue(
    issue_id: IssueId,
    asking: CallerDependency,
    context: ContextDependency,
    release: Annotated[
        str,
        Query(
            max_length=250,
            description="Release to search (default: the one in which the issue was first seen).",
        ),
    ] = "",
) -> SuspectsShown:
    """Commits of a release that changed files of the latest event's stack. The result may be "don't know"."""
    _, project_id = project_of(context, asking, issue_id)
    head = head_of(context, project_id, issue_id)
    rules = grouping_in_force(context.state, project_id).rules
    return SuspectsShown.of(suspect_commits(context.read, project_id, head, rules, release))


@router.get(
    "/api/projects/{slug}/performance/releases/{version:path}/issues",
    operation_id="issues_of_release",
    summary="List a release's new and regressed issues with suspect commits",
    tags=["performance"],
    dependencies=DECLARED,
    responses={**FAILURES, **responses("release_not_found")},
)
def issues_of_release(
    slug: str,
    version: str,
    asking: GateDependency,
    context: ContextDependency,
    environment: Environment = "",
) -> IssuesOfRelease:
    """For CI. The issues don't affect the verdict."""
    project_id = asking.project(context, slug).id
    row = release_row(context.read, project_id, version, environment)
    return IssuesOfRelease(
        new_issues=_shown(context, project_id, row.new_issues, version),
        regressed_issues=_shown(context, project_id, row.regressed_issues, version),
    )


def _shown(context: Context, project_id: int, issue_ids: list[int], release: str) -> list[IssueOfRelease]:
    """One that was deleted or merged since is left out, or shown once as the other."""
    now = Period("14d").of_events(datetime.now(UTC))
    heads: dict[int, IssueHead] = {}
    for issue_id in issue_ids[:MOST_ISSUES]:
        head = issue_head(context.read, project_id, issue_id, now)
        if head is not None:
            heads[head.issue_id] = head
    rules = grouping_in_force(context.state, project_id).rules
    return [_issue(context, project_id, head, rules, release) for head in heads.values()]


def _issue(
    context: Context, project_id: int, head: IssueHead, rules: GroupingRules, release: str
) -> IssueOfRelease:
    found = suspect_commits(context.read, project_id, head, rules, release)
    described: dict[str, Any] = {"id": head.issue_id, "title": head.title, "culprit": head.culprit}
    return IssueOfRelease.of(found, **described)
