"""Rare actions on an issue."""

from collections.abc import Mapping
from urllib.parse import urlencode

from dashboards.issue.head.fragment import Fragment
from dashboards.issue.request import IssueRequest
from errata.places import ERASURE
from errata.state.users import Role


def _fetch_more(request: IssueRequest) -> Mapping[str, object]:
    project, issue_id = f"/projects/{request.project.slug}", request.head.id
    return {
        "is_owner": request.user.session.role is Role.OWNER,
        "is_following": request.following.has(request.user.session),
        "has_mail": request.context.mail is not None,
        "subscription_address": f"{project}/issues/{issue_id}/subscription",
        "rule_address": f"{project}/alerts/new?{urlencode({'query': f'issue:{issue_id}', 'kind': 'events'})}",
        "erasure_address": f"{project}{ERASURE.path}?issue={issue_id}",
    }


FRAGMENT = Fragment("issue/head/more.html", _fetch_more)
