"""Reports of a project: a week or a release to take along, and what is sent every week."""

from datetime import timedelta
from typing import Annotated, Literal
from urllib.parse import quote, urlencode
from zoneinfo import available_timezones

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from api.context import Context, ContextDependency
from api.rest import report_schedules as rest
from dashboards.addresses import View
from dashboards.form import Form, FormDependency
from dashboards.pages.alerts import ChangerDependency
from dashboards.performance_nav import CARRIED
from dashboards.rendering import render
from dashboards.visitor import Visitor, VisitorDependency
from errata.errors import InvalidParameter
from errata.reports.past_report import past_weeks, week_name
from errata.reports.schedule import WEEKDAYS, checked
from errata.warehouse.queries.releases import release_starts

router = APIRouter()

HERE = "/projects/{slug}/performance/reports"
WEEKS_OFFERED = 26
RELEASES_OFFERED = 50
RELEASES_SINCE = timedelta(weeks=26)
MAILS_SHOWN = 30
STATUS_WORDS = {
    "sent": "sent",
    "sending": "being sent",
    "waiting": "waiting",
    "failed": "given up",
    "unknown": "may have arrived",
}
TYPED = ("name", "weekday", "time_zone", "environment", "recipients")
Id = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]


@router.get(HERE)
def reports_page(
    slug: str, request: Request, context: ContextDependency, visitor: VisitorDependency
) -> Response:
    return _page(slug, request, context, visitor)


@router.get(HERE + "/release")
def report_of_release(
    slug: str,
    visitor: VisitorDependency,
    release: Annotated[str, Query(max_length=250)] = "",
    environment: Annotated[str, Query(max_length=64)] = "",
    format: Annotated[Literal["pdf", "html"], Query()] = "pdf",  # noqa: A002
) -> Response:
    """A form cannot put a choice into a path."""
    project = visitor.project(slug)
    path = f"/api/projects/{project.slug}/performance/releases/{quote(release, safe='')}/report"
    asked = urlencode({"format": format, "environment": environment})
    return RedirectResponse(f"{path}?{asked}", status_code=303)


@router.post(f"{HERE}/schedules/new")
def create_schedule(
    slug: str,
    request: Request,
    context: ContextDependency,
    visitor: VisitorDependency,
    asking: ChangerDependency,
    form: FormDependency,
) -> Response:
    try:
        new = checked(
            {
                **{name: form[name] for name in TYPED},
                "hour": form.number("hour", 8),
                "is_enabled": True,
            }
        )
        context.state.create_report_schedule(asking.organization_id, slug, new, actor=asking.actor)
    except InvalidParameter as error:
        return _page(slug, request, context, visitor, form, error)
    return _back(slug)


@router.post(HERE + "/schedules/{schedule_id}")
def delete_schedule(
    slug: str, schedule_id: Id, asking: ChangerDependency, context: ContextDependency
) -> Response:
    rest.delete_schedule(slug, schedule_id, asking, context)
    return _back(slug)


@router.post(HERE + "/mails/{mail_id}")
def send_again(slug: str, mail_id: Id, asking: ChangerDependency, context: ContextDependency) -> Response:
    rest.send_again(slug, mail_id, asking, context)
    return _back(slug)


def _page(
    slug: str,
    request: Request,
    context: Context,
    visitor: Visitor,
    form: Form | None = None,
    error: InvalidParameter | None = None,
) -> Response:
    project = visitor.project(slug)
    page = visitor.framed(request, f"Reports of {project.name}", "performance", project)
    now = context.state.now()
    weeks = past_weeks(now.date(), WEEKS_OFFERED)
    starts = release_starts(context.read, project.id, now - RELEASES_SINCE)
    body = render(
        "reports.html",
        page,
        view=View(request.url.path, {name: request.query_params.get(name, "") for name in CARRIED}),
        weeks=[(week_name(monday), monday) for monday in weeks],
        releases=list(dict.fromkeys(start.release for start in reversed(starts)))[:RELEASES_OFFERED],
        environments=sorted({start.environment for start in starts}),
        form=form or Form({"time_zone": ["UTC"], "weekday": ["monday"], "hour": ["8"]}),
        error=error,
        weekdays=WEEKDAYS,
        zones=sorted(available_timezones()),
        schedules=context.state.report_schedules(visitor.session.organization_id, slug),
        mails=context.state.report_mails(visitor.session.organization_id, slug, MAILS_SHOWN),
        status_words=STATUS_WORDS,
        has_mail=context.mail is not None,
        week_name=week_name,
    )
    return Response(body, 400 if error else 200, media_type="text/html")


def _back(slug: str) -> Response:
    return RedirectResponse(HERE.format(slug=slug), status_code=303)
