"""Issues of trackers: linked ones, and the form that links one."""

from collections.abc import Mapping

from dashboards.issue.head.fragment import Fragment
from dashboards.issue.request import IssueRequest
from errata.trackers import TRACKERS
from errata.warehouse.queries.membership import decided_merges


def _fetch_links(request: IssueRequest) -> Mapping[str, object]:
    state, organization_id = request.context.state, request.user.session.organization_id
    listed = state.tracker_links.of_project(organization_id, request.project.id)
    if listed:
        # Links of merged issues are found where they are part of this one by now.
        merges = decided_merges(request.warehouse, request.project.id)
        listed = [link for link in listed if merges.root(int(link.issue_id, 16)) == request.head.issue_id]
    return {"links": listed, "slug": request.project.slug, "trackers": TRACKERS}


def _fetch_integrations(request: IssueRequest) -> Mapping[str, object]:
    organization_id = request.user.session.organization_id
    return {
        **_fetch_links(request),
        "integrations": request.context.state.integrations.of_project(organization_id, request.project.id),
    }


MARK = Fragment("issue/head/links.html", _fetch_links, styles=("sharing.css",))
ACTION = Fragment("issue/head/link.html", _fetch_integrations, styles=("sharing.css",), scripts=("forms.js",))
