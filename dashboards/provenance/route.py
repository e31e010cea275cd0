"""The SQL, inputs and build state behind a table or chart."""

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, Response

from dashboards.provenance.analysts import analyst_query
from dashboards.provenance.replay import Replayed, replayed
from dashboards.provenance.view import other_questions, statements, statements_read
from dashboards.shared.current_user import CurrentUser, CurrentUserDependency, WarehouseDependency
from dashboards.shared.live import CACHE
from dashboards.shared.rendering import render
from errata.warehouse.client import Warehouse
from errata.warehouse.provenance import provenance

router = APIRouter()


@router.get("/computed/{question}")
async def provenance_page(
    question: str, request: Request, user: CurrentUserDependency, warehouse: WarehouseDependency
) -> Response:
    """Any page links here by `{{ computed("page_metrics", page) }}` of shared/provenance.html; `of` is its
    address, for the values in the statement."""
    address = request.query_params.get("of", "")
    shown = await replayed(request, address) if address else None
    return await run_in_threadpool(_page, question, request, user, warehouse, shown)


def _page(
    question: str, request: Request, user: CurrentUser, warehouse: Warehouse, shown: Replayed | None
) -> Response:
    of = shown.page if shown else None
    page = user.framed(request, "How it's computed", of.section if of else "", of.project if of else None)
    body = render(
        "provenance/provenance.html",
        page,
        found=provenance(warehouse, question, statements_read(shown.asked, question) if shown else ()),
        shown=shown,
        for_analysts=analyst_query(shown.asked, question, of.project.id, shown.filters)
        if shown and of and of.project
        else None,
        statements=statements(shown.asked, question) if shown else [],
        others=list(other_questions(shown.asked, question, shown.address)) if shown else [],
    )
    return HTMLResponse(body, headers=CACHE)
