"""Session replays of a project: lists, one of them, and its recorded events."""

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response
from pydantic import BaseModel, Field

from api.authentication import DECLARED, CallerDependency
from api.context import ContextDependency
from api.errors import ReplayNotFound
from api.json_text import json_text
from api.parameters import CursorParameter, LimitParameter, Moment, PeriodParameter, SegmentId
from api.problems import responses
from api.rest.issues import READ_CODES, Environment
from api.rest.users import Release
from api.shown import IssueIdTextIfAny, Shown, UuidText
from api.tables import FILES_TOO, Format, table_file
from errata.period import Period
from errata.warehouse.queries.replays.errors import errors_of_replay
from errata.warehouse.queries.replays.list import ReplayFilters, replays_of_project
from errata.warehouse.queries.replays.replay import replay_by_id
from errata.warehouse.queries.replays.segments import recording_of_segment

router = APIRouter(tags=["replays"])

ReplayId = Annotated[str, Path(pattern="^[0-9a-f]{32}$", description="32 hexadecimal digits.")]
PageText = Annotated[
    str, Query(max_length=200, description="Text in a visited URL, such as `/checkout`; empty: all.")
]
UserOf = Annotated[
    str, Query(pattern="^([0-9a-f]{16})?$", description="Key of a user, as listed; empty: all.")
]
UserWords = Annotated[
    str,
    Query(
        max_length=200, description="Words to find in the user's ID, email, name and IP address; empty: all."
    ),
]
FOUND = ("project_not_found", "replay_not_found")


class ReplayListed(Shown):
    id: str = Field(description="32 hexadecimal digits.")
    began_at: Moment
    ended_at: Moment
    duration_ms: float
    replay_type: str = Field(description="`session`, or `buffer`: kept because of an error.")
    urls: list[str] = Field(description="URLs visited, in order, without query, fragment and secrets.")
    user_key: str = Field(description="For `/api/projects/{slug}/users/{key}`; empty: nobody was identified.")
    user_id: str
    user_email: str
    user_name: str
    user_ip: str
    environment: str
    release: str
    browser: str
    os: str
    device: str
    error_count: int
    rage_click_count: int = Field(description="Three or more clicks on one element in quick succession.")
    dead_click_count: int = Field(description="Clicks after which nothing on the page changed.")
    click_count: int
    console_error_count: int
    request_count: int
    navigation_count: int
    is_unmasked: bool = Field(description="Whether most text on its pages is readable.")
    segment_count: int
    missing_count: int = Field(description="Segments before the last one that didn't arrive.")
    recording_bytes: int


class ReplayList(BaseModel):
    replays: list[ReplayListed]
    next_cursor: str | None


class SegmentShown(Shown):
    segment_id: int
    recording_bytes: int = Field(description="Size of its events as JSON.")


class ErrorOfReplay(Shown):
    event_id: UuidText = Field(description="32 hexadecimal digits.")
    issue_id: IssueIdTextIfAny = Field(description="Null if it isn't in an issue yet.")
    occurred_at: Moment
    at_ms: float = Field(description="Since the replay began.")
    type: str
    message: str
    level: str


class ReplayDetail(ReplayListed):
    segments: list[SegmentShown] = Field(description="Segments that arrived, in order.")
    errors: list[ErrorOfReplay] = Field(description="In order, at most 200.")


@router.get(
    "/api/projects/{slug}/replays",
    operation_id="replays",
    summary="List session replays",
    dependencies=DECLARED,
    response_model=ReplayList,
    responses={**responses(*READ_CODES, "project_not_found"), **FILES_TOO},
)
def replays(
    slug: str,
    asking: CallerDependency,
    context: ContextDependency,
    page: PageText = "",
    user: UserOf = "",
    user_query: UserWords = "",
    environment: Environment = "",
    release: Release = "",
    has_errors: bool = False,
    has_rage_clicks: bool = False,
    has_dead_clicks: bool = False,
    is_unmasked: bool = False,
    period: PeriodParameter = Period("14d"),
    limit: LimitParameter = 50,
    cursor: CursorParameter = "",
    format: Format = "json",  # noqa: A002
) -> ReplayList | Response:
    """Replays that started in the period, latest first. Filters set to false have no effect."""
    project = context.state.projects.get(asking.organization_id, slug)
    filters = ReplayFilters(
        period.of_events(datetime.now(UTC)),
        environment,
        release,
        page,
        int(user or "0", 16),
        user_query,
        has_errors,
        has_rage_clicks,
        has_dead_clicks,
        is_unmasked,
    )
    found = replays_of_project(context.read, project.id, filters, limit, cursor)
    listed = [ReplayListed.of(one) for one in found.replays]
    if format != "json":
        return table_file(format, f"{slug}-replays", ReplayListed, listed)
    return ReplayList(replays=listed, next_cursor=found.next_cursor)


@router.get(
    "/api/projects/{slug}/replays/{replay_id}",
    operation_id="replay",
    summary="Get a session replay with its segments and errors",
    dependencies=DECLARED,
    responses=responses(*READ_CODES, *FOUND),
)
def replay(
    slug: str, replay_id: ReplayId, asking: CallerDependency, context: ContextDependency
) -> ReplayDetail:
    project = context.state.projects.get(asking.organization_id, slug)
    found = replay_by_id(context.read, project.id, UUID(replay_id))
    if found is None:
        raise ReplayNotFound(replay_id)
    return ReplayDetail.of(found, errors=errors_of_replay(context.read, project.id, found))


@router.get(
    "/api/projects/{slug}/replays/{replay_id}/segments/{segment_id}",
    operation_id="replay_segment",
    summary="Get the recorded events of a segment",
    dependencies=DECLARED,
    responses={
        **responses(*READ_CODES, *FOUND),
        200: {
            "description": "A JSON array of rrweb events, as recorded, without secrets.",
            "content": {"application/json": {"schema": {"type": "array", "items": {"type": "object"}}}},
        },
    },
    response_class=Response,
)
def replay_segment(
    slug: str,
    replay_id: ReplayId,
    segment_id: SegmentId,
    asking: CallerDependency,
    context: ContextDependency,
) -> Response:
    project = context.state.projects.get(asking.organization_id, slug)
    recording = recording_of_segment(context.read, project.id, UUID(replay_id), segment_id)
    if recording is None:
        raise ReplayNotFound(replay_id)
    return json_text(recording)
