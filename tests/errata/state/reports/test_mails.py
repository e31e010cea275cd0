"""One mail a schedule and week, whichever node writes it down."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from errata.reports.schedule import Schedule
from errata.state import Store
from errata.state.attempts import WAITING
from errata.state.errors import ReportScheduleNotFound
from errata.state.reports.mails import SENT, UNKNOWN
from tests.errata.state.conftest import Clock

WEEK = date(2026, 11, 16)
BOARD = Schedule("Board", "friday", 16, "Asia/Tokyo", "", ("a@b.example",))


def test_a_schedule_is_kept_as_given_and_due_only_from_its_change_on(
    store: Store, organization_id: int, clock: Clock
) -> None:
    made = store.reports.schedules.create(organization_id, "web-shop", BOARD, actor="ada@example.org")
    assert (made.schedule, made.changed_at) == (BOARD, clock.now)
    clock.advance(timedelta(hours=1))
    renamed = replace(BOARD, name="Management", recipients=("c@d.example", "e@f.example"))
    changed = store.reports.schedules.change(organization_id, "web-shop", made.id, renamed, actor="bo")
    assert (changed.schedule, changed.changed_at) == (renamed, made.changed_at)
    later = store.reports.schedules.change(
        organization_id, "web-shop", made.id, replace(renamed, hour=17), actor="bo"
    )
    assert later.changed_at == clock.now
    store.reports.schedules.delete(organization_id, "web-shop", made.id, actor="bo")
    assert (
        store.reports.schedules.of_project(organization_id, "web-shop")
        == store.reports.schedules.enabled()
        == []
    )
    with pytest.raises(ReportScheduleNotFound):
        store.reports.schedules.get(organization_id, "web-shop", made.id)


def test_a_mail_is_claimed_begun_and_ended_by_one(store: Store, organization_id: int, clock: Clock) -> None:
    made = store.reports.schedules.create(organization_id, "web-shop", BOARD, actor="ada@example.org")
    assert store.reports.mails.plan(made, WEEK)
    assert not store.reports.mails.plan(made, WEEK)
    [mail] = store.reports.mails.due()
    assert (mail.week, mail.recipients, mail.status) == (WEEK, ("a@b.example",), WAITING)
    assert store.reports.mails.claim(mail)
    assert not store.reports.mails.claim(mail)
    assert store.reports.mails.begin(mail)
    assert not store.reports.mails.begin(mail)
    assert store.reports.mails.note_interrupted() == 0
    clock.advance(timedelta(minutes=6))
    assert store.reports.mails.note_interrupted() == 1
    assert store.reports.mails.due() == []
    assert store.reports.mails.of_project(organization_id, "web-shop")[0].status == UNKNOWN
    store.reports.mails.send_again(organization_id, "web-shop", mail.id)
    [again] = store.reports.mails.due()
    assert store.reports.mails.claim(again) and store.reports.mails.begin(again)
    store.reports.mails.note_answer(again, "250 kept", SENT)
    [told] = store.reports.mails.of_project(organization_id, "web-shop")
    assert (told.status, told.answer, told.ended_at) == (SENT, "250 kept", clock.now)
