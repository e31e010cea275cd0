"""One mail a schedule and week, whichever node writes it down."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from errata.reports.schedule import Schedule
from errata.state import Store
from errata.state.attempts import WAITING
from errata.state.errors import ReportScheduleNotFound
from errata.state.report_mails import SENT, UNKNOWN
from tests.errata.state.conftest import Clock

WEEK = date(2026, 11, 16)
BOARD = Schedule("Board", "friday", 16, "Asia/Tokyo", "", ("a@b.example",))


def test_a_schedule_is_kept_as_given_and_due_only_from_its_change_on(
    store: Store, organization_id: int, clock: Clock
) -> None:
    made = store.create_report_schedule(organization_id, "web-shop", BOARD, actor="ada@example.org")
    assert (made.schedule, made.changed_at) == (BOARD, clock.now)
    clock.advance(timedelta(hours=1))
    renamed = replace(BOARD, name="Management", recipients=("c@d.example", "e@f.example"))
    changed = store.change_report_schedule(organization_id, "web-shop", made.id, renamed, actor="bo")
    assert (changed.schedule, changed.changed_at) == (renamed, made.changed_at)
    later = store.change_report_schedule(
        organization_id, "web-shop", made.id, replace(renamed, hour=17), actor="bo"
    )
    assert later.changed_at == clock.now
    store.delete_report_schedule(organization_id, "web-shop", made.id, actor="bo")
    assert store.report_schedules(organization_id, "web-shop") == store.enabled_report_schedules() == []
    with pytest.raises(ReportScheduleNotFound):
        store.report_schedule(organization_id, "web-shop", made.id)


def test_a_mail_is_claimed_begun_and_ended_by_one(store: Store, organization_id: int, clock: Clock) -> None:
    made = store.create_report_schedule(organization_id, "web-shop", BOARD, actor="ada@example.org")
    assert store.plan_report_mail(made, WEEK)
    assert not store.plan_report_mail(made, WEEK)
    [mail] = store.due_report_mails()
    assert (mail.week, mail.recipients, mail.status) == (WEEK, ("a@b.example",), WAITING)
    assert store.claim_report_mail(mail)
    assert not store.claim_report_mail(mail)
    assert store.begin_report_mail(mail)
    assert not store.begin_report_mail(mail)
    assert store.note_interrupted_report_mails() == 0
    clock.advance(timedelta(minutes=6))
    assert store.note_interrupted_report_mails() == 1
    assert store.due_report_mails() == []
    assert store.report_mails(organization_id, "web-shop")[0].status == UNKNOWN
    store.send_report_mail_again(organization_id, "web-shop", mail.id)
    [again] = store.due_report_mails()
    assert store.claim_report_mail(again) and store.begin_report_mail(again)
    store.note_report_mail(again, "250 kept", SENT)
    [told] = store.report_mails(organization_id, "web-shop")
    assert (told.status, told.answer, told.ended_at) == (SENT, "250 kept", clock.now)
