"""The performance report, to view or to send: a PDF, or one HTML file without external resources."""

import re
from dataclasses import replace
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.responses import Response

from api.authentication import DECLARED, CallerDependency
from api.context import Context, ContextDependency
from api.problems import responses
from api.rest.performance import FAILURES
from api.rest.performance_filters import Environment, ReportFilters
from errata.budgets.history import History
from errata.reports import formats
from errata.reports.past_report import monday_of, release_report, week_report
from errata.reports.performance_report import PerformanceReport, document_of, performance_report
from errata.reports.printing import pdf_of
from errata.state.budgets import Budget

NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")
router = APIRouter(tags=["performance"])

Kind = Annotated[Literal["pdf", "html"], Query(description="Report format.")]
Week = Annotated[
    str,
    Query(
        max_length=8,
        pattern="^([0-9]{4}-W(0[1-9]|[1-4][0-9]|5[0-3]))?$",
        description="A past week such as `2026-W47`, instead of `period`; covers all releases and devices.",
    ),
]
WRITTEN = {
    **FAILURES,
    **responses("printer_missing", "not_printed"),
    200: {"content": {"application/pdf": {}, "text/html": {}}, "description": "The report"},
}


@router.get(
    "/api/projects/{slug}/performance/report",
    operation_id="performance_report",
    summary="Get a report of pages, endpoints, budgets and releases",
    dependencies=DECLARED,
    response_class=Response,
    responses=WRITTEN,
)
def report(
    slug: str,
    asking: CallerDependency,
    context: ContextDependency,
    filters: ReportFilters,
    week: Week = "",
    format: Kind = "pdf",  # noqa: A002
) -> Response:
    """The same rows give the same bytes."""
    project = asking.project(context, slug)
    budgets = budgets_with_history(context, asking.organization_id, slug, project.id)
    if week:
        monday = monday_of(week, filters.now.date())
        report = week_report(context.read, project.id, project.name, monday, filters.environment, budgets)
        name = week
    else:
        report = performance_report(context.read, project.name, filters, budgets)
        name = formats.iso_day(report.days[1])
    annotations = context.state.annotations.all_of_project(asking.organization_id, slug)
    return _written(replace(report, annotations=annotations), f"{slug}-performance-{name}", format)


@router.get(
    "/api/projects/{slug}/performance/releases/{version:path}/report",
    operation_id="release_report",
    summary="Get a release report: verdict, pages and endpoints, by day",
    dependencies=DECLARED,
    response_class=Response,
    responses={**WRITTEN, **responses("release_not_found")},
)
def report_of_release(
    slug: str,
    version: str,
    asking: CallerDependency,
    context: ContextDependency,
    environment: Environment = "",
    format: Kind = "pdf",  # noqa: A002
) -> Response:
    """Days of the release with page loads, the last 92 at most; as of the last build."""
    project = asking.project(context, slug)
    report = release_report(context.read, project.id, project.name, version, environment)
    annotations = context.state.annotations.all_of_project(asking.organization_id, slug)
    name = NOT_IN_NAMES.sub("-", version)
    return _written(replace(report, annotations=annotations), f"{slug}-performance-{name}", format)


def budgets_with_history(
    context: Context, organization_id: int, slug: str, project_id: int
) -> list[tuple[Budget, History]]:
    budgets = context.state.budgets.of_project(organization_id, slug)
    histories = context.histories.all(context.read, project_id, [each.limit for each in budgets])
    return list(zip(budgets, histories, strict=True))


def _written(report: PerformanceReport, name: str, form: Literal["pdf", "html"]) -> Response:
    document = document_of(report)
    headers = {"Content-Disposition": f'attachment; filename="{name}.{form}"'}
    if form == "html":
        # Opened from our address, the page may do nothing.
        headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
        return Response(document, media_type="text/html; charset=utf-8", headers=headers)
    return Response(pdf_of(document), media_type="application/pdf", headers=headers)
