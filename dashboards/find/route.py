"""What a text names, in a project or among the projects: the dialog of the top bar as a page."""

from itertools import groupby

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from api.context import Context, ContextDependency
from api.find import MOST_CHARACTERS, find
from dashboards.shared.current_user import CurrentUser, CurrentUserDependency
from dashboards.shared.rendering import render
from errata.state.projects import Project

router = APIRouter()


@router.get("/find")
def find_anywhere(request: Request, context: ContextDependency, user: CurrentUserDependency) -> Response:
    return _found(request, context, user, None)


@router.get("/projects/{slug}/find")
def find_in_project(
    slug: str, request: Request, context: ContextDependency, user: CurrentUserDependency
) -> Response:
    return _found(request, context, user, user.project(slug))


def _found(request: Request, context: Context, user: CurrentUser, project: Project | None) -> Response:
    page = user.framed(request, "Find", "find" if project is None else "", project)
    text = request.query_params.get("text", "")[:MOST_CHARACTERS].strip()
    results = find(context, user.projects, text, project, page.now)
    body = render(
        "find/find.html",
        page,
        text=text,
        most_characters=MOST_CHARACTERS,
        groups=[(kind.value, list(found)) for kind, found in groupby(results, key=lambda one: one.kind)],
    )
    return HTMLResponse(body, headers={"Cache-Control": "private, no-cache"})
