"""The job that mails followers what they are notified of, where the service has a mail server."""

import logging
from collections.abc import Sequence
from datetime import timedelta
from html import escape
from itertools import groupby

from api.context import Context
from api.jobs.failures import Failed, noted_in, raise_if_any
from api.jobs.job import Job, Run
from api.notifications import address, further_detail, sentence
from errata.alerts.errors import MayHaveArrived, NotDelivered, Undeliverable
from errata.alerts.mail import headed, send_message
from errata.alerts.mail_body import FONT
from errata.state.notifications import DueMail, Notification

log = logging.getLogger("api.jobs")

EVERY_SECONDS = 5.0
WAITS = [timedelta(minutes=minutes) for minutes in (1, 5, 15, 60)]
GIVEN_UP_AFTER = timedelta(days=1)
WHY = "You follow this issue. To stop these mails, open it and choose “Stop alerting me” in its menu (⋯)."


def notification_mail_job(context: Context) -> Job:
    return Job("notification_mails", lambda run: send_mails(context, run), EVERY_SECONDS)


def send_mails(context: Context, run: Run) -> None:
    """Sends what is due: of one person in one mail. A failing address holds up no other."""
    due = sorted(context.state.notifications.mails_due(), key=lambda one: one.email)
    failed: Failed = []
    for email, group in groupby(due, lambda one: one.email):
        if not run.goes_on():
            return
        with noted_in(failed, "a mail to a follower"):
            _send(context, email, list(group))
    raise_if_any(failed)


def _send(context: Context, email: str, due: Sequence[DueMail]) -> None:
    ids = [one.notification.id for one in due]
    if context.mail is None:
        context.state.notifications.note_mailed(ids)
        return
    shown = [one.notification for one in due]
    message = headed(context.mail.sender, [email], f"notification-{ids[0]}-{ids[-1]}", _subject(shown))
    message.set_content(_text(context, shown))
    message.add_alternative(_html(context, shown), subtype="html")
    try:
        send_message(context.mail, context.outgoing, [email], message)
    except NotDelivered as error:
        log.warning("A mail to a follower was not delivered: %s", error.reason[:200])
        _note_failure(context, due, error)
    else:
        context.state.notifications.note_mailed(ids)


def _note_failure(context: Context, due: Sequence[DueMail], error: NotDelivered) -> None:
    now = context.state.now()
    is_final = isinstance(error, Undeliverable | MayHaveArrived)
    for one in due:
        next_at = now + WAITS[min(one.attempt_count, len(WAITS) - 1)]
        is_last = is_final or next_at > one.notification.at + GIVEN_UP_AFTER
        context.state.notifications.note_mailed([one.notification.id], None if is_last else next_at)


def _subject(shown: Sequence[Notification]) -> str:
    first = shown[0]
    if len(shown) > 1:
        return f"[{first.project_name}] {len(shown)} notifications about issues you follow"
    return f"[{first.project_name}] {sentence(first)}" + (f": {first.title}" if first.title else "")


def _text(context: Context, shown: Sequence[Notification]) -> str:
    parts = [
        "\n".join(filter(None, (sentence(one), one.title, further_detail(one), _url(context, one))))
        for one in shown
    ]
    return "\n\n".join([*parts, WHY, f"-- \nSent by Errata: {context.base_url}"]) + "\n"


def _url(context: Context, one: Notification) -> str:
    return context.base_url + address(one)


def _html(context: Context, shown: Sequence[Notification]) -> str:
    parts = [
        f"<p style='{FONT}'>{escape(sentence(one))}<br>"
        f"<a href='{escape(_url(context, one))}'>{escape(one.title or 'Open')}</a><br>"
        f"<span style='color:#666'>{escape(further_detail(one))}</span></p>"
        for one in shown
    ]
    end = f"<p style='{FONT};color:#666'>{escape(WHY)}</p>"
    home = f"<p style='{FONT};color:#666'>Sent by <a href='{escape(context.base_url)}'>Errata</a></p>"
    return "<!doctype html><html><body>" + "\n".join([*parts, end, home]) + "</body></html>"
