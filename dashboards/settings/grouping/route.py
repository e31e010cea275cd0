"""Grouping of a project: its rules, a preview of other rules, earlier configurations."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from api.context import ContextDependency
from api.regrouping import Regroupings
from api.regrouping_shown import RegroupingShown, regrouping_shown
from dashboards.shared.current_user import CurrentUserDependency
from dashboards.shared.rendering import render
from dashboards.shared.settings_navigation import navigation
from errata.grouping import CURRENT_VERSION
from errata.grouping.fingerprint import VERSIONS
from errata.places import GROUPING
from errata.state.grouping import ConfigurationState
from errata.state.users import Role

router = APIRouter()


@router.get("/projects/{slug}/settings/grouping")
def grouping_page(
    slug: str, request: Request, context: ContextDependency, user: CurrentUserDependency
) -> Response:
    project = user.project(slug)
    page = user.framed(request, f"Grouping of {project.name}", "settings", project)
    configurations = context.state.grouping.of_project(project.id)
    active = next(each for each in configurations if each.state is ConfigurationState.ACTIVE)
    draft = next((each for each in configurations if each.state is ConfigurationState.DRAFT), None)
    chosen = request.query_params.get("preview", "")
    preview: RegroupingShown | None = None
    if chosen.isascii() and chosen.isdigit() and int(chosen) in {each.number for each in configurations}:
        organization_id = user.session.organization_id
        regroupings = Regroupings(
            context.state, context.warehouse, context.read, organization_id, project.slug, project.id
        )
        preview = regrouping_shown(regroupings.preview(int(chosen)), context.read, project.id)
    body = render(
        "settings/grouping/grouping.html",
        page,
        **navigation(GROUPING, project),
        configurations=configurations,
        active=active,
        edited=draft or active,
        draft=draft,
        versions=sorted(VERSIONS),
        newest_version=CURRENT_VERSION,
        preview=preview,
        can_change=user.session.role is Role.OWNER,
    )
    return HTMLResponse(body, headers={"Cache-Control": "no-store"})
