"""Weekly reports of a project by mail, and the outcome of each."""

from dataclasses import asdict
from datetime import date, datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Path
from pydantic import AliasPath, BaseModel, Field, StrictBool

from api.authentication import DECLARED, CallerDependency, ManagerDependency
from api.context import ContextDependency
from api.parameters import Moment, WholeNumber
from api.problems import responses
from api.shown import Shown
from errata.alerts.recipients import MOST_RECIPIENTS
from errata.one_line import NAME, ONE_LINE
from errata.reports.past_report import week_name
from errata.reports.schedule import Schedule, checked
from errata.state.reports.mails import ReportMail
from errata.state.reports.schedules import ReportSchedule

router = APIRouter(tags=["performance"])

Id = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]
READ = ("invalid_parameter", "invalid_api_key", "project_not_found", "state_unavailable")
CHANGE = (*READ, "csrf_failed", "forbidden")
SCHEDULES = "/api/projects/{slug}/performance/report-schedules"
MAILS = "/api/projects/{slug}/performance/report-mails"
MAILS_TOLD = 200
Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


class ScheduleGiven(BaseModel):
    name: str = Field(min_length=1, max_length=100, pattern=NAME)
    weekday: Weekday = "monday"
    hour: WholeNumber = Field(8, ge=0, le=23, description="Hour of the day in the time zone.")
    time_zone: str = Field(
        "UTC",
        max_length=64,
        description="Such as `Europe/Prague`.",
        json_schema_extra={"format": "time-zone"},
    )
    environment: str = Field("", max_length=64, pattern=ONE_LINE, description="Empty: all.")
    recipients: list[str] = Field(
        description=f"1 to {MOST_RECIPIENTS} email addresses.",
        json_schema_extra={
            "minItems": 1,
            "maxItems": MOST_RECIPIENTS,
            "items": {"type": "string", "format": "email"},
        },
    )
    is_enabled: StrictBool = True

    def schedule(self) -> Schedule:
        return checked(self.model_dump())


class ScheduleShown(ScheduleGiven, Shown):
    id: str
    next_at: Moment | None = Field(description="Time of the next report; null: turned off.")
    created_at: Moment
    created_by: str


class ScheduleTable(BaseModel):
    schedules: list[ScheduleShown]


class MailShown(Shown):
    id: str
    schedule_id: str = Field(validation_alias=AliasPath("of", "id"))
    name: str = Field(
        validation_alias=AliasPath("of", "schedule", "name"), description="Name of the schedule."
    )
    week: str = Field(description="Reported week, such as `2026-W47`.")
    monday: date
    recipients: list[str]
    status: Literal["waiting", "sending", "sent", "failed", "unknown"] = Field(
        description="`failed`: no more retries after two days; `unknown`: interrupted, may have arrived."
    )
    created_at: Moment
    next_attempt_at: Moment | None = Field(validation_alias="due_at", description="For waiting mails.")
    attempt_count: int
    ended_at: Moment | None
    answer: str = Field(description="Latest response from the mail server.")


class MailTable(BaseModel):
    mails: list[MailShown]


@router.get(
    SCHEDULES,
    operation_id="report_schedules",
    summary="List weekly reports",
    dependencies=DECLARED,
    responses=responses(*READ),
)
def schedules(slug: str, asking: CallerDependency, context: ContextDependency) -> ScheduleTable:
    found = context.state.reports.schedules.of_project(asking.organization_id, slug)
    return ScheduleTable(schedules=[_shown(each, context.state.now()) for each in found])


@router.post(
    SCHEDULES,
    operation_id="create_report_schedule",
    summary="Create a weekly report",
    status_code=201,
    dependencies=DECLARED,
    responses=responses(*CHANGE),
)
def create_schedule(
    slug: str, given: ScheduleGiven, asking: ManagerDependency, context: ContextDependency
) -> ScheduleShown:
    """The first report is sent at the next scheduled time, as a PDF, through the service's mail server."""
    made = context.state.reports.schedules.create(
        asking.organization_id, slug, given.schedule(), actor=asking.actor
    )
    return _shown(made, context.state.now())


@router.put(
    SCHEDULES + "/{schedule_id}",
    operation_id="change_report_schedule",
    summary="Update a weekly report",
    dependencies=DECLARED,
    responses=responses(*CHANGE, "report_schedule_not_found"),
)
def change_schedule(
    slug: str, schedule_id: Id, given: ScheduleGiven, asking: ManagerDependency, context: ContextDependency
) -> ScheduleShown:
    """A week that was already sent isn't sent again."""
    changed = context.state.reports.schedules.change(
        asking.organization_id, slug, schedule_id, given.schedule(), actor=asking.actor
    )
    return _shown(changed, context.state.now())


@router.delete(
    SCHEDULES + "/{schedule_id}",
    operation_id="delete_report_schedule",
    summary="Delete a weekly report",
    status_code=204,
    dependencies=DECLARED,
    responses=responses(*CHANGE, "report_schedule_not_found"),
)
def delete_schedule(
    slug: str, schedule_id: Id, asking: ManagerDependency, context: ContextDependency
) -> None:
    context.state.reports.schedules.delete(asking.organization_id, slug, schedule_id, actor=asking.actor)


@router.get(
    MAILS,
    operation_id="report_mails",
    summary="List the delivery log of weekly reports",
    dependencies=DECLARED,
    responses=responses(*READ),
)
def mails(slug: str, asking: CallerDependency, context: ContextDependency) -> MailTable:
    """Newest first, at most 200, including those of deleted schedules."""
    found = context.state.reports.mails.of_project(asking.organization_id, slug, MAILS_TOLD)
    return MailTable(mails=[_mail_shown(mail) for mail in found])


@router.post(
    MAILS + "/{mail_id}/again",
    operation_id="send_report_mail_again",
    summary="Resend a report that failed or may not have arrived",
    status_code=204,
    dependencies=DECLARED,
    responses=responses(*CHANGE, "report_mail_not_found"),
)
def send_again(slug: str, mail_id: Id, asking: ManagerDependency, context: ContextDependency) -> None:
    context.state.reports.mails.send_again(asking.organization_id, slug, mail_id)


def _shown(each: ReportSchedule, now: datetime) -> ScheduleShown:
    schedule = each.schedule
    next_at = schedule.next_due(now).at if schedule.is_enabled else None
    return ScheduleShown.of(each, **asdict(schedule), next_at=next_at)


def _mail_shown(mail: ReportMail) -> MailShown:
    return MailShown.of(mail, week=week_name(mail.week), monday=mail.week)
