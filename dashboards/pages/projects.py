"""The projects of the visitor's organization."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from api.context import ContextDependency
from dashboards.rendering import render
from dashboards.visitor import VisitorDependency

router = APIRouter()


@router.get("/")
def home(visitor: VisitorDependency) -> Response:
    """Who has one project wants its issues."""
    if len(visitor.projects) == 1:
        return RedirectResponse(f"/projects/{visitor.projects[0].slug}/issues", status_code=303)
    return RedirectResponse("/projects", status_code=303)


@router.get("/projects")
def projects(request: Request, context: ContextDependency, visitor: VisitorDependency) -> Response:
    page = visitor.framed(request, "Projects", "projects")
    body = render("projects.html", page, base_url=context.base_url)
    return HTMLResponse(body, headers={"Cache-Control": "private, no-cache"})
