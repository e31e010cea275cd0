"""The API key: display and regeneration; and the activity log."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import AfterValidator, BaseModel, Field

from api.authentication import DECLARED, CallerDependency, OwnerDependency
from api.context import ContextDependency
from api.credentials_file import keep_key
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


class ApiKeyShown(BaseModel):
    prefix: str
    created_at: Moment
    last_used_at: Moment | None = Field(description="Accurate to the minute.")


class IssuedApiKey(BaseModel):
    api_key: str = Field(description="Shown once.")
    prefix: str
    created_at: Moment


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
    "/api/api-key",
    operation_id="api_key",
    summary="Get the current API key's prefix",
    dependencies=DECLARED,
    responses=responses("invalid_api_key", "state_unavailable"),
)
def api_key(asking: CallerDependency, context: ContextDependency) -> ApiKeyShown:
    key = context.state.keys.api.get(asking.organization_id)
    return ApiKeyShown(prefix=key.prefix, created_at=key.created_at, last_used_at=key.last_used_at)


@router.post(
    "/api/api-key/regenerate",
    operation_id="regenerate_api_key",
    summary="Regenerate the API key",
    dependencies=DECLARED,
    responses=responses("invalid_api_key", "csrf_failed", "forbidden", "state_unavailable"),
)
def regenerate_api_key(owner: OwnerDependency, context: ContextDependency) -> IssuedApiKey:
    """The old key fails from this moment. Only a signed-in owner may: a leaked key must not renew itself."""
    issued = context.state.keys.api.regenerate(owner.organization_id, actor=owner.email)
    projects = [project.slug for project in context.state.projects.of_organization(owner.organization_id)]
    keep_key(context, projects, "api_key", issued.key)
    return IssuedApiKey(api_key=issued.key, prefix=issued.prefix, created_at=issued.created_at)


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
