"""Saved views of performance pages: saved from any of them, and renamed, overwritten and deleted here."""

from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from api.authentication import require_csrf
from api.context import ContextDependency
from dashboards.shared.current_user import CurrentUserDependency
from dashboards.shared.form import FormDependency
from dashboards.shared.performance_view import performance_view
from dashboards.shared.rendering import render
from errata.errors import InvalidParameter
from errata.performance.saved_view import address_of, can_be_saved, view_of
from errata.state.saved_searches import PageKind
from errata.state.users import Role

router = APIRouter()

HERE = "/projects/{slug}/performance/views"


@router.get(HERE)
def saved_views_page(slug: str, request: Request, user: CurrentUserDependency) -> Response:
    """`back` is the address that leads back, and that a view can be overwritten with."""
    project = user.project(slug)
    page = user.framed(request, f"Saved views of {project.name}", "performance", project)
    origin = request.query_params.get("back", "")
    body = render(
        "performance/saved_views/saved_views.html",
        page,
        view=performance_view(request),
        origin=origin if can_be_saved(origin, slug) else "",
        origin_address=_origin(origin, slug),
    )
    return Response(body, media_type="text/html")


@router.post(HERE)
def change_saved_view(
    slug: str,
    request: Request,
    context: ContextDependency,
    user: CurrentUserDependency,
    form: FormDependency,
) -> Response:
    project, session, saved = user.project(slug), user.session, context.state.saved_searches
    user.framed(request, f"Saved views of {project.name}", "performance", project)
    require_csrf(request, session, form["csrf_token"])
    scope = session.organization_id, slug, session.user_id
    is_owner = session.role is Role.OWNER
    action, address = form["action"], form["address"]
    if action == "save":
        saved.save(
            *scope,
            page=PageKind.PERFORMANCE,
            name=form["name"],
            query=view_of(address, slug),
            sort="",
            is_shared=form["is_shared"] == "yes",
        )
        return RedirectResponse(_origin(address, slug), status_code=303)
    view_id = form.number("id", 0)
    if action == "rename":
        saved.change(*scope, view_id, is_owner=is_owner, page=PageKind.PERFORMANCE, name=form["name"])
    elif action == "overwrite":
        view = view_of(address, slug)
        saved.change(*scope, view_id, is_owner=is_owner, page=PageKind.PERFORMANCE, query=view)
    elif action == "delete":
        saved.delete(*scope, view_id, is_owner=is_owner)
    else:
        raise InvalidParameter("action", "save, rename, overwrite or delete")
    query = f"?{urlencode({'back': address})}" if can_be_saved(address, slug) else ""
    return RedirectResponse(HERE.format(slug=quote(slug, safe="")) + query, status_code=303)


def _origin(address: str, slug: str) -> str:
    """An address of this project's performance pages, whatever was asked for."""
    return address_of(view_of(address, slug) if can_be_saved(address, slug) else "", slug)
