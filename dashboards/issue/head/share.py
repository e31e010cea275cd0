"""The address of the issue for colleagues, and share links for people without an account."""

from collections.abc import Mapping

from dashboards.issue.head.fragment import Fragment
from dashboards.issue.request import IssueRequest


def _fetch_links(request: IssueRequest) -> Mapping[str, object]:
    state, organization_id = request.context.state, request.user.session.organization_id
    links = state.share_links.of_project(organization_id, request.project.id, [request.head.id])
    return {
        "links": [link for link in links if link.state(request.page.now) == "open"],
        "is_on": request.context.settings.share_links,
        "slug": request.project.slug,
        "address": request.view.address(list=""),
    }


FRAGMENT = Fragment("issue/head/share.html", _fetch_links, styles=("sharing.css",), scripts=("forms.js",))
