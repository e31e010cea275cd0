"""Trackers of a project, and issues linked to theirs."""

import re
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field, SecretStr, StrictBool
from starlette.responses import Response

from api.authentication import DECLARED, Caller, CallerDependency, ManagerDependency
from api.context import Context, ContextDependency
from api.errors import IssueNotFound
from api.parameters import Moment
from api.problems import responses
from api.rest.issues import CHANGE_CODES, READ_CODES, IssueId, project_of
from api.shown import Shown
from api.tracker_issues import LABEL, fetched, new_issue, refresh, tracker
from errata.errors import InvalidParameter
from errata.period import Period
from errata.resolution.decisions import Decisions
from errata.state.errors import LinkNotFound
from errata.state.integrations import NewIntegration
from errata.state.tracker_links import TrackerLink
from errata.trackers import TRACKERS, Connection, tracker_of
from errata.warehouse.queries.issue.head import IssueHead, issue_head
from errata.warehouse.queries.membership import decided_merges
from errata.warehouse.queries.vocabulary import issue_text
from errata.workflow.vocabulary import Word

router = APIRouter(tags=["integrations"])

Id = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]
PROJECT_CODES = ("invalid_parameter", "invalid_api_key", "project_not_found", "state_unavailable")
TRACKER_CODES = (
    "address_refused",
    "not_reached",
    "answer_unusable",
    "tracker_refused",
    "tracker_busy",
    "secret_unreadable",
)
MANAGE_CODES = (*PROJECT_CODES, "csrf_failed", "forbidden")
# Characters that a header can carry, for every tracker's kind of token.
SENDABLE = re.compile(r"[!-~]+")
Kind = Annotated[str, Field(json_schema_extra={"enum": list(TRACKERS)})]


class IntegrationShown(Shown):
    id: str
    kind: Kind
    base_url: str
    target: str
    account: str
    issue_type: str
    token_ending: str = Field(
        description="The only part of the token ever shown, to owners; empty for short tokens."
    )
    resolves: bool = Field(description="Whether issues closed in the tracker are resolved here.")
    created_at: Moment
    created_by: str


class IntegrationList(BaseModel):
    integrations: list[IntegrationShown]


class NewTracker(BaseModel):
    kind: Kind
    base_url: str = Field(
        "", max_length=500, description="Empty: the tracker's public service, if it has one."
    )
    target: str = Field(
        min_length=1,
        max_length=250,
        description="`owner/repository`, project path, project key, or team key.",
    )
    token: SecretStr = Field(min_length=1, max_length=8192)
    account: str = Field("", max_length=320, description="Jira Cloud: the email address of the token.")
    issue_type: str = Field("", max_length=100, description="Jira: type of created issues; empty: Bug.")
    resolves: StrictBool = Field(False, description="Resolve issues closed in the tracker.")

    def connection(self) -> Connection:
        tracker = TRACKERS.get(self.kind)
        if tracker is None:
            raise InvalidParameter("kind", f"one of {', '.join(TRACKERS)}")
        base_url = self.base_url.strip().rstrip("/") or tracker.usual_url
        if not base_url:
            raise InvalidParameter(
                "base_url", f"the URL of your {tracker.name}, such as {tracker.example_url}"
            )
        token = self.token.get_secret_value().strip()
        if not SENDABLE.fullmatch(token):
            raise InvalidParameter("token", "contains invalid characters or whitespace; copy the token again")
        return Connection(
            self.kind,
            base_url,
            self.target.strip(),
            SecretStr(token),
            self.account.strip(),
            self.issue_type.strip(),
        )


class ChangedTracker(BaseModel):
    resolves: StrictBool = Field(
        description=(
            "Resolve issues here when they are closed in the tracker, and undo that when they are reopened."
        )
    )


class Tested(BaseModel):
    message: str = Field(description="What the tracker is connected to.")


class NewLink(BaseModel):
    integration_id: str = Field(pattern="^[0-9a-f]{32}$")
    reference: str = Field(
        "", max_length=1000, description="Key or URL of an existing issue; empty: create one."
    )
    title: str = Field("", max_length=250, description="Title of the new issue; empty: the issue's own.")
    labels: list[Annotated[str, Field(min_length=1, max_length=50)]] = Field([LABEL], max_length=10)


class LinkShown(Shown):
    id: str
    integration_id: str
    kind: Kind
    target: str
    key: str
    url: str
    title: str
    is_open: bool
    status: str = Field(description="Status as the tracker names it.")
    problem: str = Field(description="Why the last fetch failed; empty if it succeeded.")
    fetched_at: Moment
    linked_at: Moment
    linked_by: str


class LinkList(BaseModel):
    links: list[LinkShown]


@router.get(
    "/api/projects/{slug}/integrations",
    operation_id="integrations",
    summary="List a project's issue trackers",
    dependencies=DECLARED,
    responses=responses(*PROJECT_CODES),
)
def integrations(slug: str, asking: CallerDependency, context: ContextDependency) -> IntegrationList:
    project = asking.project(context, slug)
    listed = context.state.integrations.of_project(asking.organization_id, project.id, asking)
    return IntegrationList(integrations=[IntegrationShown.of(each) for each in listed])


@router.post(
    "/api/projects/{slug}/integrations",
    operation_id="add_integration",
    summary="Connect a project to an issue tracker",
    status_code=201,
    dependencies=DECLARED,
    responses=responses(*MANAGE_CODES, *TRACKER_CODES),
)
def add_integration(
    slug: str, new: NewTracker, asking: ManagerDependency, context: ContextDependency
) -> IntegrationShown:
    """The tracker is tested first and isn't stored if the test fails. The token is stored encrypted."""
    project = asking.project(context, slug)
    wanted = new.connection()
    tracker_of(wanted, context.outgoing).check()
    kept = NewIntegration(
        wanted.kind,
        wanted.base_url,
        wanted.target,
        wanted.account,
        wanted.issue_type,
        wanted.token,
        new.resolves,
    )
    added = context.state.integrations.add(asking.organization_id, project.id, kept, actor=asking.actor)
    return IntegrationShown.of(added)


@router.post(
    "/api/projects/{slug}/integrations/{integration_id}/test",
    operation_id="test_integration",
    summary="Test a tracker's token",
    dependencies=DECLARED,
    responses=responses(*PROJECT_CODES, "csrf_failed", "integration_not_found", *TRACKER_CODES),
)
def test_integration(
    slug: str, integration_id: Id, asking: CallerDependency, context: ContextDependency
) -> Tested:
    project = asking.project(context, slug)
    known = context.state.integrations.get(asking.organization_id, project.id, integration_id)
    return Tested(message=f"Connected: {tracker(context, known).check()}.")


@router.put(
    "/api/projects/{slug}/integrations/{integration_id}",
    operation_id="change_integration",
    summary="Set whether a tracker resolves issues",
    dependencies=DECLARED,
    responses=responses(*MANAGE_CODES, "integration_not_found"),
)
def change_integration(
    slug: str,
    integration_id: Id,
    changed: ChangedTracker,
    asking: ManagerDependency,
    context: ContextDependency,
) -> IntegrationShown:
    """Applies to issues closed or reopened from now on."""
    project = asking.project(context, slug)
    kept = context.state.integrations.set_resolves(
        asking.organization_id, project.id, integration_id, changed.resolves, actor=asking.actor
    )
    return IntegrationShown.of(kept)


@router.delete(
    "/api/projects/{slug}/integrations/{integration_id}",
    operation_id="remove_integration",
    summary="Disconnect a tracker and delete its token",
    status_code=204,
    dependencies=DECLARED,
    responses=responses(*MANAGE_CODES, "integration_not_found"),
)
def remove_integration(
    slug: str, integration_id: Id, asking: ManagerDependency, context: ContextDependency
) -> Response:
    """Its links are kept as last fetched."""
    project = asking.project(context, slug)
    context.state.integrations.remove(asking.organization_id, project.id, integration_id, actor=asking.actor)
    return Response(status_code=204)


@router.get(
    "/api/issues/{issue_id}/links",
    operation_id="links_of_issue",
    summary="List an issue's linked external issues",
    dependencies=DECLARED,
    responses=responses(*READ_CODES, "issue_not_found"),
)
def links_of_issue(issue_id: IssueId, asking: CallerDependency, context: ContextDependency) -> LinkList:
    """Links of the issue and of those merged into it, as last fetched."""
    _, project_id = project_of(context, asking, issue_id)
    return LinkList(links=[LinkShown.of(link) for link in _links(context, asking, project_id, issue_id)])


@router.post(
    "/api/issues/{issue_id}/links",
    operation_id="link_issue",
    summary="Create or link an external issue",
    status_code=201,
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, "integration_not_found", "issue_linked", *TRACKER_CODES),
)
def link_issue(
    issue_id: IssueId, wanted: NewLink, asking: CallerDependency, context: ContextDependency
) -> LinkShown:
    slug, project_id = project_of(context, asking, issue_id)
    integration = context.state.integrations.get(asking.organization_id, project_id, wanted.integration_id)
    head = _head(context, project_id, issue_id)
    there = tracker(context, integration)
    if wanted.reference.strip():
        found = there.find(there.key_of(wanted.reference))
    else:
        found = there.create(new_issue(head, slug, context.base_url, wanted.title, wanted.labels))
    link = context.state.tracker_links.add(integration, head.id, fetched(found), actor=asking.actor)
    detail = {"kind": link.kind, "target": link.target, "key": link.key, "url": link.url}
    detail["is_new"] = "" if wanted.reference.strip() else "yes"
    Decisions(context.warehouse, project_id, asking.actor).decide(head.issue_id, Word.LINK, detail)
    return LinkShown.of(link)


@router.post(
    "/api/issues/{issue_id}/links/{link_id}/refresh",
    operation_id="refresh_link",
    summary="Refresh the state of a linked issue",
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, "link_not_found", "integration_not_found", "tracker_busy"),
)
def refresh_link(
    issue_id: IssueId, link_id: Id, asking: CallerDependency, context: ContextDependency
) -> LinkShown:
    """A failure is reported in `problem`. Links also refresh automatically every few minutes."""
    _, project_id = project_of(context, asking, issue_id)
    link = _link(context, asking, project_id, issue_id, link_id)
    integration = context.state.integrations.get(asking.organization_id, project_id, link.integration_id)
    refresh(context, link, integration)
    return LinkShown.of(context.state.tracker_links.get(asking.organization_id, project_id, link_id))


@router.delete(
    "/api/issues/{issue_id}/links/{link_id}",
    operation_id="unlink_issue",
    summary="Remove a link; the external issue is unchanged",
    status_code=204,
    dependencies=DECLARED,
    responses=responses(*CHANGE_CODES, "link_not_found"),
)
def unlink_issue(
    issue_id: IssueId, link_id: Id, asking: CallerDependency, context: ContextDependency
) -> Response:
    _, project_id = project_of(context, asking, issue_id)
    link = _link(context, asking, project_id, issue_id, link_id)
    context.state.tracker_links.remove(asking.organization_id, project_id, link.id)
    detail = {"kind": link.kind, "target": link.target, "key": link.key, "url": link.url}
    root = decided_merges(context.read, project_id).root(int(issue_id, 16))
    Decisions(context.warehouse, project_id, asking.actor).decide(root, Word.UNLINK, detail)
    return Response(status_code=204)


def _link(context: Context, asking: Caller, project_id: int, issue_id: str, link_id: str) -> TrackerLink:
    """The link; one of another issue is not found here."""
    for link in _links(context, asking, project_id, issue_id):
        if link.id == link_id:
            return link
    raise LinkNotFound


def _links(context: Context, asking: Caller, project_id: int, issue_id: str) -> list[TrackerLink]:
    merges = decided_merges(context.read, project_id)
    root = merges.root(int(issue_id, 16))
    listed = context.state.tracker_links.of_project(asking.organization_id, project_id)
    return [link for link in listed if merges.root(int(link.issue_id, 16)) == root]


def _head(context: Context, project_id: int, issue_id: str) -> IssueHead:
    root = decided_merges(context.read, project_id).root(int(issue_id, 16))
    head = issue_head(context.read, project_id, root, Period("14d").of_events(datetime.now(UTC)))
    if head is None:
        raise IssueNotFound(issue_text(root))
    return head
