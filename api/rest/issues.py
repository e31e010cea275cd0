"""Issues: the list, one issue, its events, and decisions of people."""

from datetime import UTC, datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, BeforeValidator, Field

from api.authentication import DECLARED, Caller, CallerDependency, TriageDependency
from api.context import Context, ContextDependency
from api.errors import IssueNotFound
from api.parameters import CursorParameter, LimitParameter, Moment, PeriodParameter
from api.problems import responses
from api.shown import IssueIdTextIfAny, Shown, UuidText
from api.workflow import Workflow
from errata.period import Period, TimeRange
from errata.warehouse.queries.issue.events import EventFilters, User, events_of_issue
from errata.warehouse.queries.issue.head import (
    IssueHead,
    issue_head,
    project_of_issue,
)
from errata.warehouse.queries.issue.merged_issue import merged_issue
from errata.warehouse.queries.issues.filters import IssueFilters
from errata.warehouse.queries.issues.list import issues_of_project
from errata.warehouse.queries.vocabulary import Sort, Status
from errata.workflow.vocabulary import Word

router = APIRouter(tags=["issues"])

IssueId = Annotated[str, Path(pattern="^[0-9a-f]{16}$", description="16 hexadecimal digits.")]
Environment = Annotated[str, Query(max_length=64, description="Only this one; empty: all.")]
READ_CODES = ("invalid_parameter", "invalid_api_key", "state_unavailable", "warehouse_unavailable")
CHANGE_CODES = (*READ_CODES, "csrf_failed", "issue_not_found")


class IssueShown(Shown):
    id: str = Field(description="16 hexadecimal digits.", pattern="^[0-9a-f]{16}$")
    title: str
    culprit: str
    type: str
    level: str
    platform: str
    status: Status = Field(description="`regressed`: an event occurred after the issue was resolved.")
    first_seen: Moment = Field(description="All time.")
    last_seen: Moment = Field(description="All time.")
    event_count: int = Field(description="In the period.")
    user_count: int = Field(description="Identified users in the period.")
    first_release: str
    last_release: str


class IssueListed(IssueShown):
    assignee: str = Field(description="Email address; empty: unassigned.")
    chosen_priority: str = Field(description="`high`, `medium` or `low` if set manually; empty: computed.")
    hours: list[int] = Field(
        description="Events in the last 24 hours, one number per hour; empty if only matching events count."
    )
    days: list[int] = Field(description="Events in the last 30 days, one number per day; empty like `hours`.")


class IssueList(BaseModel):
    issues: list[IssueListed]
    next_cursor: str | None


class TagShown(Shown):
    tag: str
    event_count: int = Field(description="Number of the latest 1,000 events that have it.")
    values: list[tuple[str, int]]


class HistoryShown(Shown):
    bucket_starts: list[Moment]
    environments: Annotated[dict[str, list[int]], BeforeValidator(dict)] = Field(
        validation_alias="lines", description="Events per step, one list per environment."
    )


class IssueDetail(IssueShown):
    project: str = Field(description="Project slug.")
    total_event_count: int
    total_user_count: int
    variant_count: int
    merged_into: IssueIdTextIfAny = Field(
        description=(
            "The issue it was merged into or, if it is empty, the one that got most of its events; all other "
            "fields describe that issue."
        )
    )
    acted_at: Moment | None = Field(description="Time of the last decision about it.")
    actor: str
    history: HistoryShown
    tags: list[TagShown]


class UserShown(Shown):
    id: str
    email: str
    name: str
    ip: str


def _if_identified(user: User) -> User | None:
    return user if any((user.id, user.email, user.name, user.ip)) else None


class EventShown(Shown):
    event_id: UuidText = Field(description="32 hexadecimal digits.")
    occurred_at: Moment
    received_at: Moment
    environment: str
    release: str
    user: Annotated[UserShown | None, BeforeValidator(_if_identified)]
    message: str
    level: str
    transaction: str
    server_name: str
    service: str = Field(description="Service segment of the application key, if any.")
    browser: str
    os: str
    url: str = Field(validation_alias="request_url", description="From the request; empty: none.")
    tags: dict[str, str]


class EventList(BaseModel):
    events: list[EventShown]
    next_cursor: str | None


class Decided(Shown):
    id: str
    status: Status
    merged_into: IssueIdTextIfAny


@router.get(
    "/api/projects/{slug}/issues",
    operation_id="issues",
    summary="List issues with an event in the period",
    dependencies=DECLARED,
    responses=responses(*READ_CODES, "project_not_found"),
)
def issues(
    slug: str,
    asking: CallerDependency,
    context: ContextDependency,
    query: Annotated[
        str,
        Query(
            max_length=2000,
            description="Words and terms such as `release:2.* plan:gold !browser:Safari`: docs/search.md.",
        ),
    ] = "",
    status: Annotated[
        Status | None,
        Query(description="`unresolved` includes regressed issues; ignored if the query has `is:`."),
    ] = None,
    environment: Environment = "",
    release: Annotated[str, Query(max_length=250, description="Only this one; empty: all.")] = "",
    period: PeriodParameter = Period("14d"),
    sort: Annotated[Sort, Query(description="Greatest or latest first.")] = Sort.LAST_SEEN,
    limit: LimitParameter = 50,
    cursor: CursorParameter = "",
) -> IssueList:
    project = asking.project(context, slug)
    filters = IssueFilters(
        period.of_events(datetime.now(UTC)),
        environment,
        release,
        status,
        query,
        me=asking.session.email if asking.session else "",
        linked=lambda: context.state.tracker_links.issue_ids(asking.organization_id, project.id),
    )
    page = issues_of_project(context.read, project.id, filters, sort, limit, cursor)
    return IssueList(issues=[IssueListed.of(issue) for issue in page.issues], next_cursor=page.next_cursor)


@router.get(
    "/api/issues/{issue_id}",
    operation_id="issue",
    summary="Get an issue's state, counts, history and tags",
    dependencies=DECLARED,
    responses=responses(*READ_CODES, "issue_not_found"),
)
def issue(
    issue_id: IssueId,
    asking: CallerDependency,
    context: ContextDependency,
    environment: Environment = "",
    period: PeriodParameter = Period("14d"),
) -> IssueDetail:
    slug, project_id = project_of(context, asking, issue_id)
    span = period.of_events(datetime.now(UTC))
    head = head_of(context, project_id, issue_id, span, environment)
    return IssueDetail.of(head, project=slug)


@router.get(
    "/api/issues/{issue_id}/events",
    operation_id="issue_events",
    summary="List an issue's events, newest first",
    dependencies=DECLARED,
    responses=responses(*READ_CODES, "issue_not_found"),
)
def issue_events(
    issue_id: IssueId,
    asking: CallerDependency,
    context: ContextDependency,
    environment: Environment = "",
    release: Annotated[str, Query(max_length=250, description="Only this one; empty: all.")] = "",
    user: Annotated[
        str, Query(max_length=200, description="Only this user: an ID, email address, name or IP address.")
    ] = "",
    words: Annotated[
        str, Query(max_length=200, description="Text that the message, transaction or URL must contain.")
    ] = "",
    limit: LimitParameter = 50,
    cursor: CursorParameter = "",
) -> EventList:
    """For a merged issue, events of the one it is merged into; for an emptied one, those of its successor."""
    _, project_id = project_of(context, asking, issue_id)
    merged = merged_issue(context.read, project_id, int(issue_id, 16))
    if merged is None:
        raise IssueNotFound(issue_id)
    filters = EventFilters(environment, release, user, words)
    page = events_of_issue(context.read, merged, limit, cursor, filters)
    return EventList(events=[EventShown.of(event) for event in page.events], next_cursor=page.next_cursor)


@router.post(
    "/api/issues/{issue_id}/{action}",
    operation_id="decide_issue",
    summary="Resolve, unresolve or ignore an issue",
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES),
)
def decide(
    issue_id: IssueId,
    action: Literal["resolve", "unresolve", "ignore"],
    asking: TriageDependency,
    context: ContextDependency,
) -> Decided:
    _, project_id = project_of(context, asking, issue_id)
    workflow = Workflow(context.warehouse, context.read, project_id, asking.actor)
    workflow.act([int(issue_id, 16)], Word(action), {})
    return decided(context, project_id, issue_id)


def project_of(context: Context, asking: Caller, issue_id: str) -> tuple[str, int]:
    """Slug and id of the project that has the issue; one of another organization is unknown."""
    slugs = {project.id: project.slug for project in context.state.projects.visible(asking)}
    project_id = project_of_issue(context.read, list(slugs), int(issue_id, 16))
    if project_id is None:
        raise IssueNotFound(issue_id)
    return slugs[project_id], project_id


def head_of(
    context: Context, project_id: int, issue_id: str, period: TimeRange | None = None, environment: str = ""
) -> IssueHead:
    period = period or Period("14d").of_events(datetime.now(UTC))
    head = issue_head(context.read, project_id, int(issue_id, 16), period, environment)
    if head is None:
        raise IssueNotFound(issue_id)
    return head


def decided(context: Context, project_id: int, issue_id: str) -> Decided:
    head = head_of(context, project_id, issue_id)
    return Decided.of(head, id=issue_id)
