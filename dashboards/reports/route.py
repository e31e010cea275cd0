"""Reports of a project: downloads of a week or release, and weekly mails."""

from datetime import timedelta
from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from api.context import Context, ContextDependency
from api.reports import filtered_file, release_file, week_file
from dashboards.shared import periods
from dashboards.shared.addresses import View
from dashboards.shared.current_user import CurrentUserDependency
from dashboards.shared.performance_nav import CARRIED
from dashboards.shared.rendering import render
from errata.performance.filters import FILTERS, Filters
from errata.reports.past_report import past_weeks, week_name
from errata.reports.report_file import ReportFile
from errata.state.users import Role
from errata.warehouse.queries.performance.release_starts import ReleaseStart, release_starts

router = APIRouter()

HERE = "/projects/{slug}/performance/reports"
WEEKS_OFFERED = 26
RELEASES_OFFERED = 50
RELEASES_SINCE = timedelta(weeks=26)
MAILS_SHOWN = 30
STATUS_WORDS = {
    "sent": "sent",
    "sending": "sending",
    "waiting": "waiting",
    "failed": "failed",
    "unknown": "possibly sent",
}


@router.get(HERE)
def reports_page(
    slug: str, request: Request, context: ContextDependency, user: CurrentUserDependency
) -> Response:
    project = user.project(slug)
    page = user.framed(request, f"Reports of {project.name}", "performance", project)
    organization_id = user.session.organization_id
    weeks = past_weeks(context.state.now().date(), WEEKS_OFFERED)
    starts = recent_releases(context, project.id)
    body = render(
        "reports/reports.html",
        page,
        view=View(request.url.path, {name: request.query_params.get(name, "") for name in CARRIED}),
        weeks=[(week_name(monday), monday) for monday in weeks],
        releases=list(dict.fromkeys(start.release for start in reversed(starts)))[:RELEASES_OFFERED],
        environments=sorted({start.environment for start in starts}),
        schedules=context.state.reports.schedules.of_project(organization_id, slug),
        latest=context.state.reports.mails.latest_by_schedule(organization_id, slug),
        mails=context.state.reports.mails.of_project(organization_id, slug, MAILS_SHOWN),
        mails_shown=MAILS_SHOWN,
        status_words=STATUS_WORDS,
        has_mail=context.mail is not None,
        can_change=user.session.role is Role.OWNER,
        week_name=week_name,
    )
    return Response(body, media_type="text/html")


@router.get(HERE + "/file")
def report_file(
    slug: str,
    request: Request,
    context: ContextDependency,
    user: CurrentUserDependency,
    week: Annotated[str, Query(max_length=8)] = "",
    version: Annotated[str, Query(max_length=250)] = "",
    format: Annotated[Literal["pdf", "html"], Query()] = "pdf",  # noqa: A002
    download: bool = False,
) -> Response:
    """A page that waits for the report, then leads to the same address with `download`."""
    project, organization_id = user.project(slug), user.session.organization_id
    page = user.framed(request, "Report", "performance", project)
    chosen = {one.name: request.query_params.get(one.name, "")[: one.longest] for one in FILTERS}
    environment = chosen["environment"]
    period = periods.period(request.query_params.get("period", ""), "7d")
    filters = Filters([project.id], period, page.now, **chosen)

    def make() -> ReportFile:
        if week:
            return week_file(context, organization_id, project, week, environment, format)
        if version:
            return release_file(context, organization_id, project, version, environment, format)
        return filtered_file(context, organization_id, project, filters, format)

    report, ahead_count = context.report_queue.report(
        organization_id, (filters.chosen, week, version, format), make
    )
    if report.file is not None and download:
        return Response(report.file.content, headers=report.file.headers)
    name = f"{project.slug}-performance-{week or version or chosen['release'] or period}.{format}"
    address = f"{page.address}{'' if download else '&download=true'}" if report.file else page.address
    body = render(
        "reports/waiting.html",
        page,
        report=report,
        ahead_count=ahead_count,
        name=name,
        address=address,
        back=HERE.format(slug=quote(slug, safe="")),
    )
    return Response(body, media_type="text/html", headers={"Cache-Control": "no-store"})


def recent_releases(context: Context, project_id: int) -> list[ReleaseStart]:
    return release_starts(context.read, project_id, context.state.now() - RELEASES_SINCE)
