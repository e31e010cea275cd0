"""Following an issue, which the API and the issue's page offer."""

from collections.abc import Sequence
from dataclasses import dataclass

from api.context import Context
from errata.state.sessions import WebSession
from errata.state.subscriptions import Subscription
from errata.warehouse.queries.membership import decided_merges
from errata.warehouse.queries.vocabulary import issue_text


@dataclass(frozen=True)
class Following:
    """The followers of an issue by e-mail address, and the issues that the subscriptions were made of."""

    emails: Sequence[str]
    issue_ids: Sequence[str]

    def has(self, session: WebSession) -> bool:
        return session.email in self.emails


def following(context: Context, project_id: int, issue_id: int) -> Following:
    """Who follows the issue, or one merged into it."""
    listed = context.state.subscriptions.of_projects([project_id])
    if listed:
        merges = decided_merges(context.read, project_id)
        root = merges.root(issue_id)
        listed = [one for one in listed if merges.root(int(one.issue_id, 16)) == root]
    return _following(listed)


def follow(context: Context, project_id: int, issue_id: int, session: WebSession) -> Following:
    """Repeated, it changes nothing."""
    if not following(context, project_id, issue_id).has(session):
        context.state.subscriptions.follow(project_id, issue_text(issue_id), session.user_id)
    return following(context, project_id, issue_id)


def unfollow(context: Context, project_id: int, issue_id: int, session: WebSession) -> Following:
    found = following(context, project_id, issue_id)
    context.state.subscriptions.unfollow(project_id, found.issue_ids, session.user_id)
    return following(context, project_id, issue_id)


def _following(listed: Sequence[Subscription]) -> Following:
    return Following(
        list(dict.fromkeys(one.email for one in listed)), sorted({one.issue_id for one in listed})
    )
