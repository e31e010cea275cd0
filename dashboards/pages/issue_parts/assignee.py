"""Who looks after the issue."""

from collections.abc import Mapping

from dashboards.pages.issue_asked import Asked
from dashboards.pages.issue_parts.part import Part


def _ask(asked: Asked) -> Mapping[str, object]:
    members = asked.context.state.users.of_organization(asked.visitor.session.organization_id)
    me = asked.visitor.session.email
    others = [email for email, _ in members if email != me]
    state = asked.head.state
    return {"assignee": state.assignee, "me": me, "others": others}


PART = Part("issue_parts/assignee.html", _ask)
