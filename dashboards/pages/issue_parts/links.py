"""Issues elsewhere: those linked, and the ways to link one."""

from collections.abc import Mapping

from dashboards.pages.issue_asked import Asked
from dashboards.pages.issue_parts.part import Part
from errata.warehouse.queries.membership import decided_merges


def _links(asked: Asked) -> Mapping[str, object]:
    state, organization_id = asked.context.state, asked.visitor.session.organization_id
    listed = state.tracker_links.of_project(organization_id, asked.project.id)
    if listed:
        # Links of merged issues are found where they are part of this one by now.
        merges = decided_merges(asked.warehouse, asked.project.id)
        listed = [link for link in listed if merges.whole(int(link.issue_id, 16)) == asked.head.issue_id]
    return {"links": listed, "slug": asked.project.slug}


def _ways(asked: Asked) -> Mapping[str, object]:
    organization_id = asked.visitor.session.organization_id
    return {
        **_links(asked),
        "integrations": asked.context.state.integrations.of_project(organization_id, asked.project.id),
    }


MARK = Part("issue_parts/links.html", _links, styles=("sharing.css",))
ACTION = Part("issue_parts/link.html", _ways, styles=("sharing.css",), scripts=("forms.js",))
