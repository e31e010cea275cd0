"""The performance report, to read or to send: a PDF, or one HTML file that needs nothing else."""

from datetime import UTC, datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.responses import Response

from api.authentication import DECLARED, CallerDependency
from api.context import ContextDependency
from api.parameters import Period, PeriodParameter
from api.problems import responses
from api.rest.performance import FAILURES, Browser, Device, Environment, Release
from errata.reports.performance_report import document_of, performance_report
from errata.reports.printing import pdf_of
from errata.warehouse.queries.performance import Filters

router = APIRouter(tags=["performance"])

Kind = Annotated[Literal["pdf", "html"], Query(description="How the report is written.")]


@router.get(
    "/api/projects/{slug}/performance/report",
    operation_id="performance_report",
    summary="A report of pages, endpoints, budgets and releases",
    dependencies=DECLARED,
    response_class=Response,
    responses={
        **FAILURES,
        **responses("printer_missing", "not_printed"),
        200: {"content": {"application/pdf": {}, "text/html": {}}, "description": "The report"},
    },
)
def report(
    slug: str,
    asking: CallerDependency,
    context: ContextDependency,
    period: PeriodParameter = Period("7d"),
    environment: Environment = "",
    release: Release = "",
    device: Device = "",
    browser: Browser = "",
    format: Kind = "pdf",  # noqa: A002
) -> Response:
    """The same rows give the same bytes."""
    project = context.state.project(asking.organization_id, slug)
    filters = Filters([project.id], period, datetime.now(UTC), environment, release, device, browser)
    budgets = context.state.budgets(asking.organization_id, slug)
    histories = context.histories.of(context.read, project.id, [each.limit for each in budgets])
    told = performance_report(context.read, project.name, filters, list(zip(budgets, histories, strict=True)))
    document = document_of(told)
    name = f"{slug}-performance-{told.days[1]}.{format}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    if format == "html":
        # Opened from our address it may do no more than be read.
        headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
        return Response(document, media_type="text/html; charset=utf-8", headers=headers)
    return Response(pdf_of(document), media_type="application/pdf", headers=headers)
