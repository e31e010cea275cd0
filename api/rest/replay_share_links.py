"""Share links to a replay, for people without an account."""

from datetime import UTC, datetime
from uuid import UUID

from fastapi import APIRouter
from pydantic import BaseModel, Field, StrictBool

from api.authentication import DECLARED, CallerDependency
from api.context import ContextDependency
from api.errors import ReplayNotFound
from api.expiry import expiry
from api.problems import responses
from api.rest.issues import CHANGE_CODES
from api.rest.replays import FOUND, ReplayId
from api.rest.share_links import (
    PROJECT_CODES,
    CreatedShareLinkShown,
    Expires,
    ShareLinkList,
    require_on,
    share_link_shown,
)
from errata.state.share_links import Shared
from errata.warehouse.queries.replays.replay import replay_by_id

router = APIRouter(tags=["share links"])

DAY_MS = 86_400_000


class NewReplayShareLink(BaseModel):
    at_ms: int = Field(
        0, ge=0, le=DAY_MS, description="Milliseconds since the replay began, where the link opens it."
    )
    expires: Expires = "7d"
    with_user: StrictBool = Field(
        False, description="Show user data, and email and IP addresses in URLs, titles and the timeline."
    )
    with_values: StrictBool = Field(False, description="Show requests and console lines.")


@router.post(
    "/api/projects/{slug}/replays/{replay_id}/share-links",
    operation_id="create_replay_share_link",
    summary="Create a link that shows a replay without sign-in",
    status_code=201,
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, *FOUND, "forbidden"),
)
def create_replay_share_link(
    slug: str,
    replay_id: ReplayId,
    new: NewReplayShareLink,
    asking: CallerDependency,
    context: ContextDependency,
) -> CreatedShareLinkShown:
    """Anyone with the link can see the recorded pages until the link expires or is revoked."""
    require_on(context)
    project = asking.project(context, slug)
    if replay_by_id(context.read, project.id, UUID(replay_id)) is None:
        raise ReplayNotFound(replay_id)
    created = context.state.share_links.create(
        asking.organization_id,
        project.id,
        Shared(replay_id=replay_id, with_user=new.with_user, with_values=new.with_values),
        expiry(new.expires, datetime.now(UTC)),
        actor=asking.actor,
    )
    at = f"?at={new.at_ms}" if new.at_ms else ""
    url = f"{context.base_url}/shared/{created.token}{at}"
    return CreatedShareLinkShown.of(share_link_shown(created.link), url=url)


@router.get(
    "/api/projects/{slug}/replays/{replay_id}/share-links",
    operation_id="share_links_of_replay",
    summary="List the share links of a replay",
    dependencies=DECLARED,
    responses=responses(*PROJECT_CODES, "invalid_parameter"),
)
def share_links_of_replay(
    slug: str, replay_id: ReplayId, asking: CallerDependency, context: ContextDependency
) -> ShareLinkList:
    """Newest first, including expired and revoked ones."""
    project = asking.project(context, slug)
    listed = context.state.share_links.of_project(asking.organization_id, project.id, replay_id=replay_id)
    return ShareLinkList(share_links=[share_link_shown(link) for link in listed])
