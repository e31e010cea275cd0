"""Weekly reports by mail: a real mail server and a real warehouse, two nodes, and one that is killed."""

import multiprocessing
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from api.context import Context
from api.jobs.failures import ItemsFailed
from api.jobs.fair_schedule import FairSchedule
from api.jobs.report_mails import send_reports
from api.settings import ApiSettings
from errata.outgoing import Outgoing
from errata.reports.past_report import past_weeks, week_name, week_report
from errata.reports.schedule import WEEKDAYS, Schedule, checked
from errata.state import Store
from errata.state.errors import ReportMailNotFound
from errata.state.reports.mails import ReportMail, ReportMails
from errata.state.store import Reports
from errata.warehouse.roles import Role
from tests.api.conftest import SECRET, Prepared
from tests.api.jobs.conftest import Clock, EndlessRun
from tests.builders import a_delivery, insert
from tests.errata.alerts.test_mail import Mailbox, mail_server, server
from tests.page_loads import deliver, loads
from tests.processes import WarehouseProcess

NOW = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
# That is over when the report is due: an hour later it may be Monday.
WEEK = past_weeks((NOW + timedelta(hours=1)).date(), 1)[0]


@dataclass
class Office:
    """A project whose report goes out within the hour."""

    context: Context
    clock: Clock
    mailbox: Mailbox
    organization_id: int
    slug: str

    @property
    def log(self) -> list[ReportMail]:
        return self.context.state.reports.mails.of_project(self.organization_id, self.slug)

    def schedule(self, **changes: object) -> None:
        due = self.clock.now + timedelta(hours=1)
        given = {
            "name": "Management",
            "weekday": WEEKDAYS[due.weekday()],
            "hour": due.hour,
            "time_zone": "UTC",
            "environment": "",
            "recipients": ["ada@example.org", "bo@example.org"],
            "is_enabled": True,
        }
        new = checked({**given, **changes})
        self.context.state.reports.schedules.create(
            self.organization_id, self.slug, new, actor="owner@example.org"
        )

    def turn(self, **later: float) -> None:
        self.clock.advance(timedelta(**later))
        send_reports(self.context, EndlessRun(), FairSchedule())


@pytest.fixture
def office(warehouse: WarehouseProcess, prepared: Prepared, prepared_url: str) -> Iterator[Office]:
    clock, mailbox = Clock(NOW), Mailbox()
    store = Store.open(prepared_url, SECRET, clock=clock)
    owner = store.keys.api.owner(prepared.account.api_key)
    assert owner is not None
    read = warehouse.client(Role.READ)
    with mail_server(mailbox) as port:
        sender = replace(server(port), is_operators=True)
        context = Context(ApiSettings(), store, read, read, "https://errata.example", {}, Outgoing(), sender)
        yield Office(context, clock, mailbox, owner.organization_id, prepared.account.project)
    read.close()
    store.close()


@pytest.mark.slow
def test_the_week_before_arrives_as_a_pdf_once_whoever_looks_and_however_often(
    warehouse: WarehouseProcess, office: Office, prepared_url: str
) -> None:
    project = office.context.state.projects.get(office.organization_id, office.slug)
    start = datetime.combine(WEEK, datetime.min.time(), UTC) + timedelta(hours=1)
    views = [
        row
        for row in loads("shop@1.0", start, 300, project_id=project.id)
        if row["occurred_at"] < start + timedelta(days=2)
    ]
    deliver(warehouse, views)
    ingest = warehouse.client(Role.INGEST)
    heard = a_delivery(project_id=project.id, host="web-9", received_at=NOW - timedelta(days=2))
    insert(ingest, "errata_raw.deliveries", [heard])
    ingest.close()
    office.schedule()
    office.turn()
    assert office.mailbox.mails == []
    office.turn(hours=1)
    another = Store.open(prepared_url, SECRET, clock=office.clock)
    for _ in range(2):
        office.turn(minutes=1)
        send_reports(replace(office.context, state=another), EndlessRun(), FairSchedule())
    another.close()
    [mail] = office.mailbox.mails
    count = sum(row["is_load"] for row in views)
    assert mail["to"] == "ada@example.org, bo@example.org"
    number, year = WEEK.isocalendar().week, WEEK.isocalendar().year
    assert mail["subject"] == f"Web shop: week {number} of {year}"
    body = mail.get_body(("plain",))
    assert body is not None and f"Page loads: {count}" in body.get_content()
    assert "Silent host: web-9, nothing since " in body.get_content()
    [attached] = list(mail.iter_attachments())
    assert attached.get_content_type() == "application/pdf"
    assert attached.get_filename() == f"{office.slug}-performance-{week_name(WEEK)}.pdf"
    assert attached.get_content().startswith(b"%PDF-")
    [logged] = office.log
    assert (logged.status, logged.attempt_count, logged.week) == ("sent", 1, WEEK)
    assert logged.answer == "accepted for 2 of 2"
    office.turn(days=7)
    assert [each.week for each in office.log] == [WEEK + timedelta(days=7), WEEK]


@pytest.mark.slow
def test_what_a_server_refuses_is_sent_again_and_given_up_in_the_end(office: Office) -> None:
    office.schedule()
    office.mailbox.refuses = "451 come back later"
    office.turn(hours=1)
    [waiting] = office.log
    assert (waiting.status, waiting.answer) == ("waiting", "451 come back later")
    office.turn(seconds=30)
    assert office.log[0].attempt_count == 1
    with pytest.raises(ReportMailNotFound):
        office.context.state.reports.mails.send_again(office.organization_id, office.slug, waiting.id)
    office.turn(days=2)
    assert (office.log[0].status, office.log[0].attempt_count) == ("failed", 2)
    office.mailbox.refuses = ""
    office.turn(hours=1)
    office.context.state.reports.mails.send_again(office.organization_id, office.slug, waiting.id)
    office.turn()
    assert (office.log[0].status, len(office.mailbox.mails)) == ("sent", 1)


class KilledMails(ReportMails):
    """Ends its process where a mail begins to be sent."""

    def begin(self, mail: ReportMail) -> bool:
        assert super().begin(mail)
        os.kill(os.getpid(), signal.SIGKILL)
        return True


def _sends_and_dies(office: Office, state_url: str) -> None:
    state = Store.open(state_url, SECRET, clock=office.clock)
    state.reports = Reports(state.reports.schedules, KilledMails(state.database, SECRET))
    send_reports(replace(office.context, state=state), EndlessRun(), FairSchedule())


@pytest.mark.slow
def test_one_that_was_being_sent_when_its_node_was_killed_is_not_sent_twice(
    office: Office, prepared_url: str
) -> None:
    office.schedule()
    office.clock.advance(timedelta(hours=1))
    node = multiprocessing.get_context("fork").Process(target=_sends_and_dies, args=(office, prepared_url))
    node.start()
    node.join(60)
    assert node.exitcode == -signal.SIGKILL
    office.turn(minutes=1)
    assert office.log[0].status == "sending"
    office.turn(minutes=5)
    assert office.log[0].status == "unknown" and "may have arrived" in office.log[0].answer
    office.turn(hours=2)
    assert office.mailbox.mails == []
    office.context.state.reports.mails.send_again(office.organization_id, office.slug, office.log[0].id)
    office.turn()
    assert len(office.mailbox.mails) == 1


def test_nothing_is_sent_of_a_moment_before_it_was_asked_for_nor_long_after(office: Office) -> None:
    passed = NOW - timedelta(hours=1)
    office.schedule(hour=passed.hour, weekday=WEEKDAYS[passed.weekday()])
    office.schedule(is_enabled=False)
    office.turn(hours=1)
    assert office.log == []
    office.turn(days=7 + 4)
    assert office.log == []


def test_a_service_without_a_mail_server_says_so(office: Office) -> None:
    office.schedule()
    office.clock.advance(timedelta(hours=1))
    send_reports(replace(office.context, mail=None), EndlessRun(), FairSchedule())
    assert "ERRATA_MAIL_HOST" in office.log[0].answer


@pytest.mark.slow
def test_a_report_that_cannot_be_made_holds_up_no_other_and_is_tried_again(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.schedule(name="First", recipients=["first@example.org"])
    office.schedule(name="Second", recipients=["second@example.org"])
    answers = iter([ZeroDivisionError()])

    def failing(*given: Any) -> Any:
        if error := next(answers, None):
            raise error
        return week_report(*given)

    monkeypatch.setattr("api.jobs.report_mails.week_report", failing)
    with pytest.raises(ItemsFailed):
        office.turn(hours=1)
    assert len(office.mailbox.mails) == 1
    office.turn(minutes=2)
    assert {mail["to"] for mail in office.mailbox.mails} == {"first@example.org", "second@example.org"}


@pytest.mark.slow
def test_a_schedule_that_cannot_be_read_holds_up_no_other(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.schedule(name="First")
    office.schedule(name="Second")
    last_due, answers = Schedule.last_due, iter([ValueError("no such zone")])

    def failing(self: Schedule, now: datetime) -> Any:
        if error := next(answers, None):
            raise error
        return last_due(self, now)

    monkeypatch.setattr(Schedule, "last_due", failing)
    with pytest.raises(ItemsFailed):
        office.turn(hours=1)
    assert len(office.mailbox.mails) == 1
