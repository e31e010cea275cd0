"""The form of a weekly report; it works without a script."""

from dataclasses import replace
from typing import Annotated
from zoneinfo import available_timezones

from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from api.context import Context, ContextDependency
from dashboards.reports.route import HERE as REPORTS
from dashboards.reports.route import recent_releases
from dashboards.reports.schedules.form import ScheduleFields, schedule_from
from dashboards.shared.current_user import CurrentUser, CurrentUserDependency
from dashboards.shared.form import FormDependency
from dashboards.shared.owner import OwnerDependency, owner
from dashboards.shared.rendering import render
from errata.errors import InvalidParameter
from errata.reports.schedule import LONGEST_NAME, WEEKDAYS

router = APIRouter()

HERE = f"{REPORTS}/schedules"
SWITCHED = {"on": True, "off": False}
Id = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]


@router.get(f"{HERE}/new", dependencies=[Depends(owner)])
def new_schedule_page(
    slug: str, request: Request, context: ContextDependency, user: CurrentUserDependency
) -> Response:
    return _form(slug, request, context, user, ScheduleFields())


@router.post(f"{HERE}/new")
def create_schedule(
    slug: str,
    request: Request,
    context: ContextDependency,
    user: CurrentUserDependency,
    caller: OwnerDependency,
    form: FormDependency,
) -> Response:
    try:
        new = schedule_from(form)
        context.state.reports.schedules.create(caller.organization_id, slug, new, actor=caller.actor)
    except InvalidParameter as error:
        return _form(slug, request, context, user, ScheduleFields.from_form(form), error=error)
    return _back(slug)


@router.get(HERE + "/{schedule_id}", dependencies=[Depends(owner)])
def schedule_page(
    slug: str, schedule_id: Id, request: Request, context: ContextDependency, user: CurrentUserDependency
) -> Response:
    found = context.state.reports.schedules.get(user.session.organization_id, slug, schedule_id)
    return _form(slug, request, context, user, ScheduleFields.from_schedule(found.schedule), schedule_id)


@router.post(HERE + "/{schedule_id}")
def change_schedule(
    slug: str,
    schedule_id: Id,
    request: Request,
    context: ContextDependency,
    user: CurrentUserDependency,
    caller: OwnerDependency,
    form: FormDependency,
) -> Response:
    if form["action"] == "delete":
        context.state.reports.schedules.delete(caller.organization_id, slug, schedule_id, actor=caller.actor)
        return _back(slug)
    before = context.state.reports.schedules.get(caller.organization_id, slug, schedule_id).schedule
    try:
        if form["action"] in SWITCHED:
            new = replace(before, is_enabled=SWITCHED[form["action"]])
        else:
            new = schedule_from(form)
        context.state.reports.schedules.change(
            caller.organization_id, slug, schedule_id, new, actor=caller.actor
        )
    except InvalidParameter as error:
        return _form(slug, request, context, user, ScheduleFields.from_form(form), schedule_id, error)
    return _back(slug)


@router.post(REPORTS + "/mails/{mail_id}")
def send_again(slug: str, mail_id: Id, caller: OwnerDependency, context: ContextDependency) -> Response:
    context.state.reports.mails.send_again(caller.organization_id, slug, mail_id)
    return _back(slug, "log")


def _form(
    slug: str,
    request: Request,
    context: Context,
    user: CurrentUser,
    fields: ScheduleFields,
    schedule_id: str = "",
    error: InvalidParameter | None = None,
) -> Response:
    project = user.project(slug)
    title = f"{'Weekly' if schedule_id else 'New weekly'} report of {project.name}"
    page = user.framed(request, title, "performance", project)
    starts = recent_releases(context, project.id)
    body = render(
        "reports/schedules/schedule.html",
        page,
        fields=fields,
        schedule_id=schedule_id,
        error=error,
        longest_name=LONGEST_NAME,
        weekdays=WEEKDAYS,
        zones=sorted(available_timezones()),
        environments=sorted({start.environment for start in starts}),
    )
    return Response(body, 400 if error else 200, media_type="text/html")


def _back(slug: str, anchor: str = "schedules") -> Response:
    return RedirectResponse(f"{REPORTS.format(slug=slug)}#{anchor}", status_code=303)
