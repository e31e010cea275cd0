"""The job that sends each report schedule the report of the previous week, until a mail server accepts it."""

import logging
from dataclasses import replace
from datetime import datetime, timedelta

from api.context import Context
from api.jobs.failures import Failed, noted_in, raise_if_any
from api.jobs.fair_schedule import FairSchedule
from api.jobs.job import Job, Run
from api.reports import budgets_with_history
from errata.alerts.errors import MayHaveArrived, NotDelivered, Undeliverable
from errata.alerts.mail import send_message
from errata.errors import ErrataError
from errata.reports.past_report import week_name, week_report
from errata.reports.report_mail import report_mail
from errata.state.attempts import WAITING
from errata.state.reports.mails import FAILED, SENT, UNKNOWN, ReportMail
from errata.warehouse.queries.delivery.problems import silent_hosts

log = logging.getLogger("api.jobs")

NAME = "weekly_reports"
EVERY_SECONDS = 30.0
# After a longer outage a report is not sent: nobody waits for it any more.
LATEST_AFTER = timedelta(days=3)
WAITS = [timedelta(minutes=minutes) for minutes in (1, 5, 15, 60)]
GIVEN_UP_AFTER = timedelta(days=2)


def report_mail_job(context: Context) -> Job:
    schedule = FairSchedule()
    return Job(NAME, lambda run: send_reports(context, run, schedule), EVERY_SECONDS)


def send_reports(context: Context, run: Run, schedule: FairSchedule) -> None:
    """Sends due reports. A failing schedule or mail holds up no other."""
    state = context.state
    state.reports.mails.note_interrupted()
    failed: Failed = []
    plan_mails(context, state.now(), failed)

    def send(mail: ReportMail) -> None:
        if state.reports.mails.claim(mail):
            _send(context, mail)

    with noted_in(failed, "mails of reports"):
        schedule.each(run, state.reports.mails.due(), lambda mail: f"project {mail.of.project_id}", send)
    raise_if_any(failed)


def plan_mails(context: Context, now: datetime, failed: Failed) -> None:
    for each in context.state.reports.schedules.enabled():
        with noted_in(failed, f"report schedule of {each.slug}"):
            due = each.schedule.last_due(now)
            if each.changed_at <= due.at and now - due.at <= LATEST_AFTER:
                context.state.reports.mails.plan(each, due.week)


def _send(context: Context, mail: ReportMail) -> None:
    try:
        said = _sent(context, mail)
    except ErrataError as error:
        _note_failure(context, mail, error)
        return
    except Exception as error:
        _note_failure(context, mail, NotDelivered(f"the report couldn't be created: {type(error).__name__}"))
        raise
    if said is not None:
        context.state.reports.mails.note_answer(mail, said, SENT)


def _sent(context: Context, mail: ReportMail) -> str | None:
    """The mail server's response; None if another node sends it."""
    if context.mail is None:
        raise NotDelivered("the service has no mail server (ERRATA_MAIL_HOST)")
    of = mail.of
    budgets = budgets_with_history(context, of.organization_id, of.slug, of.project_id)
    report = week_report(
        context.read, of.project_id, of.project_name, mail.week, of.schedule.environment, budgets
    )
    report = replace(
        report, annotations=context.state.annotations.all_of_project(of.organization_id, of.slug)
    )
    address = f"{context.base_url}/projects/{of.slug}/performance"
    name = f"{of.slug}-performance-{week_name(mail.week)}"
    silent = silent_hosts(context.read, [of.project_id], context.state.now())
    message = report_mail(report, context.mail.sender, mail.recipients, mail.id, address, name, silent)
    if not context.state.reports.mails.begin(mail):
        return None
    return send_message(context.mail, context.outgoing, mail.recipients, message)


def _note_failure(context: Context, mail: ReportMail, error: ErrataError) -> None:
    now = context.state.now()
    next_at = now + WAITS[min(mail.attempt_count, len(WAITS) - 1)]
    is_last = isinstance(error, Undeliverable) or next_at > mail.created_at + GIVEN_UP_AFTER
    status = FAILED if is_last else WAITING
    reason = error.reason if isinstance(error, NotDelivered) else str(error)
    context.state.reports.mails.note_answer(
        mail, reason, UNKNOWN if isinstance(error, MayHaveArrived) else status, next_at
    )
    log.warning("The report of %s was not delivered: %s", mail.of.slug, reason[:200])
