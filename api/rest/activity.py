"""The activity log."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import AfterValidator, BaseModel

from api.authentication import DECLARED, CallerDependency
from api.context import ContextDependency
from api.parameters import (
    DEFAULT_LIMIT,
    CursorParameter,
    LimitParameter,
    Moment,
    decode_cursor,
    encode_cursor,
)
from api.problems import responses
from errata.state.activity_actions import KINDS

router = APIRouter(tags=["keys"])


def _known_kind(kind: str) -> str:
    if kind and kind not in KINDS:
        raise ValueError(f"one of {', '.join(KINDS)}, or empty")
    return kind


ActivityKind = Annotated[
    str,
    AfterValidator(_known_kind),
    Query(
        description="Only actions on these kinds; empty for all.", json_schema_extra={"enum": ["", *KINDS]}
    ),
]


class ActivityShown(BaseModel):
    id: int
    at: Moment
    action: str
    actor: str
    subject: str
    key_prefix: str


class ActivityPage(BaseModel):
    activity: list[ActivityShown]
    next_cursor: str | None


@router.get(
    "/api/activity",
    operation_id="activity",
    summary="List activity on keys, projects and users",
    dependencies=DECLARED,
    responses=responses("invalid_parameter", "invalid_api_key", "state_unavailable"),
)
def activity(
    asking: CallerDependency,
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
    shown = [
        ActivityShown(
            id=entry.id,
            at=entry.at,
            action=entry.action.value,
            actor=entry.actor,
            subject=entry.subject,
            key_prefix=entry.key_prefix,
        )
        for entry in found[:limit]
    ]
    return ActivityPage(
        activity=shown, next_cursor=encode_cursor(shown[-1].id) if len(found) > limit else None
    )
