"""Reports of a project: downloads of a week or release, and weekly mails."""

from datetime import timedelta
from typing import Annotated, Literal
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from api.context import Context, ContextDependency
from dashboards.shared.addresses import View
from dashboards.shared.current_user import CurrentUserDependency
from dashboards.shared.performance_nav import CARRIED
from dashboards.shared.rendering import render
from errata.reports.past_report import past_weeks, week_name
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


@router.get(HERE + "/release")
def report_of_release(
    slug: str,
    user: CurrentUserDependency,
    release: Annotated[str, Query(max_length=250)] = "",
    environment: Annotated[str, Query(max_length=64)] = "",
    format: Annotated[Literal["pdf", "html"], Query()] = "pdf",  # noqa: A002
) -> Response:
    """Redirects to the report, since a form cannot put a choice into a path."""
    project = user.project(slug)
    path = f"/api/projects/{project.slug}/performance/releases/{quote(release, safe='')}/report"
    asked = urlencode({"format": format, "environment": environment})
    return RedirectResponse(f"{path}?{asked}", status_code=303)


def recent_releases(context: Context, project_id: int) -> list[ReleaseStart]:
    return release_starts(context.read, project_id, context.state.now() - RELEASES_SINCE)
