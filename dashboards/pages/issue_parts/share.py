"""Passing the issue on: the address for colleagues, and links for people without an account."""

from collections.abc import Mapping

from dashboards.pages.issue_asked import Asked
from dashboards.pages.issue_parts.part import Part


def _ask(asked: Asked) -> Mapping[str, object]:
    state, organization_id = asked.context.state, asked.visitor.session.organization_id
    links = state.share_links.of_project(organization_id, asked.project.id, [asked.head.id])
    return {
        "links": [link for link in links if link.state(asked.page.now) == "open"],
        "is_on": asked.context.settings.share_links,
        "slug": asked.project.slug,
        "address": asked.view.address(),
    }


PART = Part("issue_parts/share.html", _ask, styles=("sharing.css",), scripts=("forms.js",))
