"""Rare actions on an issue."""

from collections.abc import Mapping

from dashboards.issue.head.fragment import Fragment
from dashboards.issue.request import IssueRequest
from errata.places import ERASURE
from errata.state.users import Role


def _fetch_erasure(request: IssueRequest) -> Mapping[str, object]:
    address = f"/projects/{request.project.slug}{ERASURE.path}?issue={request.head.id}"
    return {"is_owner": request.user.session.role is Role.OWNER, "erasure_address": address}


FRAGMENT = Fragment("issue/head/more.html", _fetch_erasure)
