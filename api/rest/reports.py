"""The performance report, to view or to send: a PDF, or one HTML file without external resources."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.responses import Response

from api.authentication import DECLARED, CallerDependency
from api.context import ContextDependency
from api.problems import responses
from api.reports import filtered_file, release_file, week_file
from api.rest.performance import FAILURES
from api.rest.performance_filters import Environment, ReportFilters
from errata.reports.report_file import ReportFile

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
    """The same data always produces the same bytes."""
    project = asking.project(context, slug)
    if week:
        return _written(
            week_file(context, asking.organization_id, project, week, filters.environment, format)
        )
    return _written(filtered_file(context, asking.organization_id, project, filters, format))


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
    return _written(release_file(context, asking.organization_id, project, version, environment, format))


def _written(file: ReportFile) -> Response:
    return Response(file.content, headers=file.headers)
