"""Identified users of a project: whom errors happened to, as lists and one by one."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response
from pydantic import BaseModel, Field

from api.authentication import DECLARED, CallerDependency
from api.context import ContextDependency
from api.errors import UserNotFound
from api.parameters import CursorParameter, LimitParameter, Moment, PeriodParameter
from api.problems import responses
from api.rest.issues import READ_CODES, Environment, IssueShown
from api.shown import IssueIdTextIfAny, Shown, UuidText
from api.tables import FILES_TOO, Format, table_file
from errata.period import Period
from errata.warehouse.queries.issues.filters import IssueFilters
from errata.warehouse.queries.issues.list import issues_of_project
from errata.warehouse.queries.users.list import (
    UserFilters,
    UserRow,
    UserSort,
    user_of_project,
    users_of_project,
)
from errata.warehouse.queries.users.user import events_of_user, loads_of_user, sessions_of_user

router = APIRouter(tags=["users"])

UserKey = Annotated[str, Path(pattern="^[0-9a-f]{16}$", description="16 hexadecimal digits, as listed.")]
Release = Annotated[str, Query(max_length=250, description="Only this one; empty: all.")]


class UserListed(Shown):
    key: str = Field(description="16 hexadecimal digits: the hash of the first of ID, email, name and IP.")
    id: str = Field(description="As last sent; empty: never.")
    email: str
    name: str
    ip: str
    event_count: int = Field(description="In the period.")
    issue_count: int = Field(description="In the period.")
    first_seen: Moment | None = Field(description="First event in the period; null: none.")
    last_seen: Moment | None = Field(description="Last event in the period; null: none.")
    load_count: int = Field(description="Page loads in the period, as of the last build.")
    load_p75_ms: float | None


class UserList(BaseModel):
    users: list[UserListed]
    next_cursor: str | None


class UserLoadShown(Shown):
    view_id: str = Field(description="For `/api/page-views/{id}/waterfall`.")
    trace_id: str = Field(description="Empty: the SDK named none.")
    page: str
    occurred_at: Moment
    received_at: Moment
    environment: str
    release: str
    device: str
    browser: str
    load_ms: float | None
    lcp_ms: float | None
    is_slowest: bool


class UserSessionShown(Shown):
    session_id: UuidText = Field(description="32 hexadecimal digits.")
    started_at: Moment
    status: str = Field(description="`crashed` if the session ever crashed, otherwise its last status.")
    error_count: int
    duration_ms: float | None
    release: str
    environment: str


class UserEventShown(Shown):
    event_id: UuidText = Field(description="32 hexadecimal digits.")
    issue_id: IssueIdTextIfAny = Field(description="Null if it isn't in an issue yet.")
    occurred_at: Moment
    type: str
    message: str
    level: str
    environment: str
    release: str
    transaction: str


class UserDetail(UserListed):
    issues: list[IssueShown] = Field(description="The latest 50, with the user's events.")
    loads: list[UserLoadShown] = Field(description="The latest 50 and the slowest one, latest first.")
    sessions: list[UserSessionShown] = Field(description="The latest 50 that SDKs reported one by one.")
    events: list[UserEventShown] = Field(description="The latest 50.")


@router.get(
    "/api/projects/{slug}/users",
    operation_id="users",
    summary="List identified users with an event in the period",
    dependencies=DECLARED,
    response_model=UserList,
    responses={**responses(*READ_CODES, "project_not_found"), **FILES_TOO},
)
def users(
    slug: str,
    asking: CallerDependency,
    context: ContextDependency,
    query: Annotated[
        str,
        Query(
            max_length=200, description="Words to find in the ID, email, name and IP address of one event."
        ),
    ] = "",
    environment: Environment = "",
    release: Release = "",
    issue: Annotated[
        str, Query(pattern="^([0-9a-f]{16})?$", description="Only events of this issue; empty: all.")
    ] = "",
    period: PeriodParameter = Period("14d"),
    sort: Annotated[UserSort, Query(description="Greatest or latest first.")] = UserSort.LAST_SEEN,
    limit: LimitParameter = 50,
    cursor: CursorParameter = "",
    format: Format = "json",  # noqa: A002
) -> UserList | Response:
    """A user is identified by the first available of ID, email, name and IP address."""
    project = asking.project(context, slug)
    chosen = period.of_events(datetime.now(UTC))
    filters = UserFilters(chosen, environment, release, query, int(issue or "0", 16))
    page = users_of_project(context.read, project.id, filters, sort, limit, cursor)
    listed = [_listed(user) for user in page.users]
    if format != "json":
        return table_file(format, f"{slug}-users", UserListed, listed)
    return UserList(users=listed, next_cursor=page.next_cursor)


@router.get(
    "/api/projects/{slug}/users/{key}",
    operation_id="user",
    summary="Get a user's issues, page loads, sessions and latest events",
    dependencies=DECLARED,
    response_model=UserDetail,
    responses={**responses(*READ_CODES, "project_not_found", "user_not_found"), **FILES_TOO},
)
def user(
    slug: str,
    key: UserKey,
    asking: CallerDependency,
    context: ContextDependency,
    environment: Environment = "",
    release: Release = "",
    period: PeriodParameter = Period("14d"),
    format: Format = "json",  # noqa: A002
) -> UserDetail | Response:
    """CSV and Parquet contain the issues."""
    project = asking.project(context, slug)
    span, user_hash = period.of_events(datetime.now(UTC)), int(key, 16)
    filters = UserFilters(span, environment, release)
    found = user_of_project(context.read, project.id, filters, user_hash)
    if found is None:
        raise UserNotFound(key)
    narrowed = IssueFilters(span, environment, release, user_hash=user_hash)
    issues = [IssueShown.of(one) for one in issues_of_project(context.read, project.id, narrowed).issues]
    if format != "json":
        return table_file(format, f"{slug}-user-{key}-issues", IssueShown, issues)
    about = (context.read, project.id, filters, user_hash)
    return UserDetail.of(
        _listed(found),
        issues=issues,
        loads=loads_of_user(*about),
        sessions=sessions_of_user(*about),
        events=events_of_user(*about),
    )


def _listed(user: UserRow) -> UserListed:
    unseen = {} if user.event_count else {"first_seen": None, "last_seen": None}
    return UserListed.of(user, **unseen)
