"""Share links: to an issue, one of its events or a replay, for people without an account."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field, StrictBool

from api.authentication import DECLARED, CallerDependency
from api.context import Context, ContextDependency
from api.errors import EventNotFound, Forbidden
from api.expiry import expiry
from api.parameters import GivenMoment, Moment
from api.problems import responses
from api.rest.issues import CHANGE_CODES, READ_CODES, IssueId, project_of
from api.shown import Shown
from errata.errors import InvalidParameter
from errata.resolution.decisions import Decisions
from errata.state.share_links import Shared, ShareLink
from errata.warehouse.queries.issue.events import event_by_id
from errata.warehouse.queries.issue.range import Range
from errata.warehouse.queries.membership import decided_merges
from errata.warehouse.queries.vocabulary import issue_text
from errata.workflow.vocabulary import Word

router = APIRouter(tags=["share links"])

LinkId = Annotated[int, Path(ge=1, le=(1 << 31) - 1)]
Expires = Annotated[
    str, Field(max_length=40, description="`1d`, `7d`, `30d`, an ISO 8601 date or time, or `never`.")
]
PROJECT_CODES = ("invalid_api_key", "project_not_found", "state_unavailable")


class NewShareLink(BaseModel):
    event_id: str = Field("", pattern="^([0-9a-f]{32})?$", description="An event; empty: the whole issue.")
    since: GivenMoment | None = Field(None, description="With `until`: the time range that the link shows.")
    until: GivenMoment | None = None
    expires: Expires = "7d"
    with_user: StrictBool = Field(False, description="Show user data, email addresses and IP addresses.")
    with_values: StrictBool = Field(
        False,
        description=(
            "Show request bodies, cookies, variables, source lines, extra data, and the application's tags, "
            "headers and contexts."
        ),
    )

    def shared(self, issue_id: str) -> Shared:
        if (self.since is None) != (self.until is None):
            raise InvalidParameter("until", "a range needs both since and until")
        if self.since is not None and self.until is not None:
            Range(self.since, self.until)
        return Shared(issue_id, self.event_id, self.since, self.until, self.with_user, self.with_values)


class ShareLinkShown(Shown):
    id: int
    issue_id: str = Field(description="Empty: a replay.")
    event_id: str
    replay_id: str = Field(description="Empty: an issue or event.")
    since: Moment | None
    until: Moment | None
    with_user: bool
    with_values: bool
    prefix: str = Field(description="First characters of the token.")
    state: str = Field(description="`open`, `expired` or `revoked`.")
    created_at: Moment
    created_by: str
    expires_at: Moment | None = Field(description="null: never.")
    revoked_at: Moment | None
    last_opened_at: Moment | None
    opened_count: int


class CreatedShareLinkShown(ShareLinkShown):
    url: str = Field(description="URL to share; shown once.")


class ShareLinkList(BaseModel):
    share_links: list[ShareLinkShown]


def share_link_shown(link: ShareLink) -> ShareLinkShown:
    return ShareLinkShown.of(link, **asdict(link.shared), state=link.state(datetime.now(UTC)))


@router.post(
    "/api/issues/{issue_id}/share-links",
    operation_id="create_share_link",
    summary="Create a link that shows an issue or event without sign-in",
    status_code=201,
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, "event_not_found", "forbidden"),
)
def create_share_link(
    issue_id: IssueId, new: NewShareLink, asking: CallerDependency, context: ContextDependency
) -> CreatedShareLinkShown:
    """Anyone with the link can see the shared issue or event until the link expires or is revoked."""
    require_on(context)
    _, project_id = project_of(context, asking, issue_id)
    shared = new.shared(issue_text(decided_merges(context.read, project_id).root(int(issue_id, 16))))
    if new.event_id:
        _require_event(context, project_id, shared)
    ends = expiry(new.expires, datetime.now(UTC))
    created = context.state.share_links.create(
        asking.organization_id, project_id, shared, ends, actor=asking.actor
    )
    detail = {
        "share_link": created.link.prefix,
        "event_id": shared.event_id,
        "expires_at": ends.isoformat(timespec="seconds") if ends else "",
    }
    Decisions(context.warehouse, project_id, asking.actor).decide(
        int(shared.issue_id, 16), Word.SHARE, detail
    )
    url = f"{context.base_url}/shared/{created.token}"
    return CreatedShareLinkShown.of(share_link_shown(created.link), url=url)


@router.get(
    "/api/issues/{issue_id}/share-links",
    operation_id="share_links_of_issue",
    summary="List the share links of an issue and its events",
    dependencies=DECLARED,
    responses=responses(*READ_CODES, "issue_not_found"),
)
def share_links_of_issue(
    issue_id: IssueId, asking: CallerDependency, context: ContextDependency
) -> ShareLinkList:
    """Newest first, including those of issues merged into it."""
    _, project_id = project_of(context, asking, issue_id)
    merges = decided_merges(context.read, project_id)
    root = merges.root(int(issue_id, 16))
    listed = context.state.share_links.of_project(asking.organization_id, project_id)
    return ShareLinkList(
        share_links=[
            share_link_shown(link)
            for link in listed
            if link.shared.issue_id and merges.root(int(link.shared.issue_id, 16)) == root
        ]
    )


@router.get(
    "/api/projects/{slug}/share-links",
    operation_id="share_links",
    summary="List the project's share links",
    dependencies=DECLARED,
    responses=responses(*PROJECT_CODES),
)
def share_links(slug: str, asking: CallerDependency, context: ContextDependency) -> ShareLinkList:
    """Newest first, including expired and revoked ones."""
    project = asking.project(context, slug)
    listed = context.state.share_links.of_project(asking.organization_id, project.id)
    return ShareLinkList(share_links=[share_link_shown(link) for link in listed])


@router.post(
    "/api/projects/{slug}/share-links/{link_id}/revoke",
    operation_id="revoke_share_link",
    summary="Revoke a share link",
    dependencies=DECLARED,
    responses=responses(
        *PROJECT_CODES, "invalid_parameter", "csrf_failed", "share_link_not_found", "warehouse_unavailable"
    ),
)
def revoke_share_link(
    slug: str, link_id: LinkId, asking: CallerDependency, context: ContextDependency
) -> ShareLinkShown:
    project = asking.project(context, slug)
    before = {
        link.id: link for link in context.state.share_links.of_project(asking.organization_id, project.id)
    }
    link = context.state.share_links.revoke(asking.organization_id, project.id, link_id, actor=asking.actor)
    if link.shared.issue_id and before[link_id].revoked_at is None:
        detail = {"share_link": link.prefix}
        Decisions(context.warehouse, project.id, asking.actor).decide(
            int(link.shared.issue_id, 16), Word.UNSHARE, detail
        )
    return share_link_shown(link)


def require_on(context: Context) -> None:
    """Raises Forbidden if the administrator has turned share links off."""
    if not context.settings.share_links:
        raise Forbidden("share links to be turned on by the administrator (ERRATA_API_SHARE_LINKS)")


def _require_event(context: Context, project_id: int, shared: Shared) -> None:
    event = event_by_id(context.read, [project_id], UUID(shared.event_id))
    if event is None or issue_text(event.issue_id) != shared.issue_id:
        raise EventNotFound(shared.event_id)
