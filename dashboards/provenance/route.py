"""The SQL, inputs and build state behind a table or chart."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from dashboards.shared.current_user import CurrentUserDependency, WarehouseDependency
from dashboards.shared.live import CACHE
from dashboards.shared.rendering import render
from errata.warehouse.provenance import provenance

router = APIRouter()


@router.get("/computed/{question}")
def provenance_page(
    question: str, request: Request, user: CurrentUserDependency, warehouse: WarehouseDependency
) -> Response:
    """Any page links here by `{{ computed("page_metrics") }}` of shared/provenance.html."""
    slug = request.query_params.get("project", "")
    project = next((one for one in user.projects if one.slug == slug), None)
    page = user.framed(request, "How it's computed", "performance" if project else "", project)
    found = provenance(warehouse, question)
    return HTMLResponse(render("provenance/provenance.html", page, found=found), headers=CACHE)
