"""A signed-in person's subscription to an issue."""

from fastapi import APIRouter
from pydantic import Field

from api.authentication import DECLARED, OwnSessionDependency, of_session
from api.context import Context, ContextDependency
from api.problems import responses
from api.rest.issues import IssueId, project_of
from api.shown import Shown
from api.subscriptions import Following, follow, following, unfollow
from errata.state.sessions import WebSession

router = APIRouter(tags=["issues"])

CODES = ("invalid_parameter", "invalid_api_key", "forbidden", "issue_not_found", "state_unavailable")


class SubscriptionShown(Shown):
    is_subscribed: bool
    followers: list[str] = Field(
        validation_alias="emails", description="Email addresses of followers, including you."
    )


@router.get(
    "/api/issues/{issue_id}/subscription",
    operation_id="subscription",
    summary="Show whether you follow an issue, and who else follows it",
    dependencies=DECLARED,
    responses=responses(*CODES),
)
def subscription(
    issue_id: IssueId, session: OwnSessionDependency, context: ContextDependency
) -> SubscriptionShown:
    """For signed-in users. Subscriptions to issues merged into it are included."""
    number = int(issue_id, 16)
    return _shown(following(context, _project_id(context, session, issue_id), number), session)


@router.put(
    "/api/issues/{issue_id}/subscription",
    operation_id="subscribe",
    summary="Follow an issue",
    dependencies=DECLARED,
    responses=responses(*CODES, "csrf_failed"),
)
def subscribe(
    issue_id: IssueId, session: OwnSessionDependency, context: ContextDependency
) -> SubscriptionShown:
    """You are notified, and mailed if the service has a mail server, when it regresses, escalates, is
    reopened, commented on, assigned, or no longer ignored."""
    project_id = _project_id(context, session, issue_id)
    return _shown(follow(context, project_id, int(issue_id, 16), session), session)


@router.delete(
    "/api/issues/{issue_id}/subscription",
    operation_id="unsubscribe",
    summary="Stop following an issue",
    dependencies=DECLARED,
    responses=responses(*CODES, "csrf_failed"),
)
def unsubscribe(
    issue_id: IssueId, session: OwnSessionDependency, context: ContextDependency
) -> SubscriptionShown:
    """You are still notified about an issue that is assigned to you or that you commented on."""
    project_id = _project_id(context, session, issue_id)
    return _shown(unfollow(context, project_id, int(issue_id, 16), session), session)


def _project_id(context: Context, session: WebSession, issue_id: str) -> int:
    return project_of(context, of_session(session), issue_id)[1]


def _shown(found: Following, session: WebSession) -> SubscriptionShown:
    return SubscriptionShown.of(found, is_subscribed=found.has(session))
