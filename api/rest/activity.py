"""The activity log."""

from collections.abc import Iterator
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import AfterValidator, BaseModel, Field

from api.authentication import DECLARED, WholeCallerDependency
from api.context import Context, ContextDependency
from api.parameters import (
    DEFAULT_LIMIT,
    CursorParameter,
    LimitParameter,
    Moment,
    decode_cursor,
    encode_cursor,
)
from api.problems import responses
from api.shown import Shown
from api.tables import CSV_TEXT, csv_text
from errata.state.activity_actions import KINDS

router = APIRouter(tags=["keys"])

ENTRIES_A_READ = 1_000


def _known_kind(kind: str) -> str:
    if kind and kind not in KINDS:
        raise ValueError(f"one of {', '.join(KINDS)}, or empty")
    return kind


ActivityKind = Annotated[
    str,
    AfterValidator(_known_kind),
    Query(description="Only actions on these kinds; empty: all.", json_schema_extra={"enum": ["", *KINDS]}),
]


class ActivityShown(Shown):
    id: int
    at: Moment
    action: str
    actor: str
    subject: str
    key_prefix: str
    address: str = Field(description="IP address of the client; empty for background work.")


class ActivityPage(BaseModel):
    activity: list[ActivityShown]
    next_cursor: str | None


@router.get(
    "/api/activity",
    operation_id="activity",
    summary="List activity on keys, projects and users",
    dependencies=DECLARED,
    responses=responses("invalid_parameter", "invalid_api_key", "forbidden", "state_unavailable"),
)
def activity(
    asking: WholeCallerDependency,
    context: ContextDependency,
    kind: ActivityKind = "",
    limit: LimitParameter = DEFAULT_LIMIT,
    cursor: CursorParameter = "",
) -> ActivityPage:
    """Newest first."""
    before_id = decode_cursor(cursor, int)[0] if cursor else None
    found = context.state.activity.entries(
        asking.organization_id, kind=kind, limit=limit + 1, before_id=before_id
    )
    shown = [ActivityShown.of(entry) for entry in found[:limit]]
    return ActivityPage(
        activity=shown, next_cursor=encode_cursor(shown[-1].id) if len(found) > limit else None
    )


@router.get(
    "/api/activity/export",
    operation_id="export_activity",
    summary="Download the activity log",
    dependencies=DECLARED,
    response_model=list[ActivityShown],
    responses={
        **responses("invalid_parameter", "invalid_api_key", "forbidden", "state_unavailable"),
        200: {"content": CSV_TEXT, "description": "All entries, newest first, as JSON or as CSV"},
    },
)
def export_activity(
    asking: WholeCallerDependency,
    context: ContextDependency,
    form: Annotated[Literal["json", "csv"], Query(alias="format")] = "json",
    kind: ActivityKind = "",
) -> Response:
    entries = _all_entries(context, asking.organization_id, kind)
    if form == "csv":
        return StreamingResponse(_csv(entries), media_type="text/csv; charset=utf-8", headers=_named("csv"))
    return StreamingResponse(_json(entries), media_type="application/json", headers=_named("json"))


def _all_entries(context: Context, organization_id: int, kind: str) -> Iterator[ActivityShown]:
    before_id: int | None = None
    while found := context.state.activity.entries(
        organization_id, kind=kind, limit=ENTRIES_A_READ, before_id=before_id
    ):
        yield from map(ActivityShown.of, found)
        before_id = found[-1].id


def _csv(entries: Iterator[ActivityShown]) -> Iterator[str]:
    columns = list(ActivityShown.model_fields)
    yield csv_text(columns, [])
    for entry in entries:
        yield csv_text([], [[entry.model_dump(mode="json")[column] for column in columns]])


def _json(entries: Iterator[ActivityShown]) -> Iterator[str]:
    before = "["
    for entry in entries:
        yield before + entry.model_dump_json()
        before = ",\n"
    yield "[]" if before == "[" else "]"


def _named(form: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="activity.{form}"'}
