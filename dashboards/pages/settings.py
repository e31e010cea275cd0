"""The settings of a project: a frame with its sections, and the pages that others add to it."""

from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from api.context import ContextDependency
from dashboards.shared.current_user import VisitorDependency
from dashboards.shared.rendering import render
from errata.state.users import Role

router = APIRouter()


@dataclass(frozen=True)
class Entry:
    """A line of the settings' own navigation; `path` continues `/projects/{slug}/settings`."""

    title: str
    path: str


# A page of its own adds a line here, and includes settings_nav.html.
ENTRIES: tuple[Entry, ...] = (
    Entry("Integrations and share links", ""),
    Entry("Grouping", "/grouping"),
    Entry("Filtering", "/filtering"),
)


@router.get("/projects/{slug}/settings")
def settings_page(
    slug: str, request: Request, context: ContextDependency, visitor: VisitorDependency
) -> Response:
    project = visitor.project(slug)
    page = visitor.framed(request, f"Settings of {project.name}", "settings", project)
    links = context.state.share_links.of_project(visitor.session.organization_id, project.id)
    body = render(
        "settings.html",
        page,
        entries=ENTRIES,
        entry=ENTRIES[0],
        settings_address=f"/projects/{project.slug}/settings",
        integrations=context.state.integrations.of_project(visitor.session.organization_id, project.id),
        is_owner=visitor.session.role is Role.OWNER,
        links=[(link, link.state(page.now)) for link in links],
        are_links_on=context.settings.share_links,
    )
    return HTMLResponse(body, headers={"Cache-Control": "no-store"})
