"""Weekly reports are made, changed and removed on pages, without a script."""

import html
import re
from datetime import date, timedelta

import pytest
from playwright.sync_api import expect
from starlette.testclient import TestClient

from dashboards.reports.schedules.form import ScheduleFields, schedule_from
from dashboards.shared.form import Form
from errata.reports.schedule import Schedule
from errata.state import Store
from errata.state.reports.schedules import ReportSchedule
from tests.dashboards.browser import CHROMIUM, Watched
from tests.dashboards.conftest import Site

REPORTS = "/projects/shop/performance/reports"
NEW = f"{REPORTS}/schedules/new"
WEEK = date(2026, 11, 9)
TYPED = {
    "name": "Board & <b>bank</b>",
    "weekday": "friday",
    "hour": "16",
    "time_zone": "Asia/Tokyo",
    "environment": "production",
    "recipients": "ada@example.org; bo@example.org",
    "is_enabled": "yes",
    "action": "save",
}
KEPT = Schedule(
    "Board & <b>bank</b>",
    "friday",
    16,
    "Asia/Tokyo",
    "production",
    ("ada@example.org", "bo@example.org"),
)


def token(client: TestClient) -> dict[str, str]:
    found = re.search(r'name="csrf_token" value="([^"]+)"', client.get(NEW).text)
    assert found
    return {"csrf_token": found[1]}


def kept(store: Store) -> list[ReportSchedule]:
    return store.reports.schedules.of_project(1, "shop")


def made(store: Store) -> ReportSchedule:
    return store.reports.schedules.create(1, "shop", KEPT, actor="owner@shop.example")


def become_a_member(store: Store) -> None:
    with store.database.writing() as connection:
        connection.exec_driver_sql("update memberships set role = 'member'")


def held(page: str, name: str) -> str:
    """What stands in a field."""
    for pattern in (
        rf'<input type="text"[^>]* name="{name}"[^>]* value="([^"]*)"',
        rf'<textarea[^>]* name="{name}"[^>]*>([^<]*)</textarea>',
        rf'<select[^>]* name="{name}"[^>]*>(?:(?!</select>).)*<option value="(\w*)" selected>',
        rf'<select[^>]* name="{name}"[^>]*>(?:(?!</select>).)*<option selected>([^<]*)',
    ):
        if found := re.search(pattern, page):
            return html.unescape(found[1])
    raise AssertionError(name)


def test_what_the_form_shows_of_a_schedule_makes_the_same_one() -> None:
    for schedule in (KEPT, Schedule("A", "monday", 0, "UTC", "", ("a@b.example",), is_enabled=False)):
        shown = vars(ScheduleFields.from_schedule(schedule))
        sent = {name: [str(value)] for name, value in shown.items() if name != "is_enabled"}
        ticked = {"is_enabled": ["yes"]} if schedule.is_enabled else {}
        assert schedule_from(Form(sent | ticked)) == schedule


def test_a_weekly_report_is_made_changed_switched_and_deleted(live_site: Site) -> None:
    client, store = live_site.sign_in(), live_site.store
    empty = client.get(REPORTS).text
    assert "No weekly reports yet" in empty and f'href="{NEW}"' in empty
    csrf = token(client)
    answer = client.post(NEW, data=TYPED | csrf)
    assert (answer.url.path, answer.history[0].status_code) == (REPORTS, 303)
    [schedule] = kept(store)
    assert (schedule.schedule, schedule.created_by) == (KEPT, live_site.account.email)
    due = KEPT.next_due(store.database.now())
    assert "Board &amp; &lt;b&gt;bank&lt;/b&gt;" in answer.text and "<b>bank" not in answer.text
    for words in ("Friday, 16:00", "Asia/Tokyo", "production", f"{due.day:%-d %b %Y}", "none yet"):
        assert words in answer.text

    here = f"{REPORTS}/schedules/{schedule.id}"
    form = client.get(here).text
    assert f'action="{here}"' in form and held(form, "weekday") == "friday"
    assert held(form, "recipients") == "ada@example.org, bo@example.org"
    changed = {"name": "Bank", "recipients": "cy@example.org", "hour": "7"}
    client.post(here, data=TYPED | changed | csrf)
    assert [each.schedule.recipients for each in kept(store)] == [("cy@example.org",)]

    off = client.post(here, data={**csrf, "action": "off"}).text
    assert "turned off" in off and "Turn on: Bank" in off
    client.post(here, data={**csrf, "action": "off"})
    assert [each.schedule.is_enabled for each in kept(store)] == [False]
    unticked = {name: value for name, value in TYPED.items() if name != "is_enabled"}
    client.post(here, data=unticked | csrf)
    assert [each.schedule.is_enabled for each in kept(store)] == [False]
    on = client.post(here, data={**csrf, "action": "on"}).text
    assert "turned off" not in on
    assert [each.schedule for each in kept(store)] == [KEPT]

    gone = client.post(here, data={**csrf, "action": "delete"}).text
    assert "No weekly reports yet" in gone and kept(store) == []
    assert client.get(here).status_code == 404
    assert client.post(here, data=TYPED | csrf).status_code == 404


WRONG = {
    "name": ["", "x" * 101],
    "weekday": ["noday"],
    "hour": ["24", "noon"],
    "time_zone": ["Nowhere/Land", ""],
    "environment": ["e" * 65],
    "recipients": ["ada@example.org, bo", ""],
}


def test_what_is_wrong_is_told_beside_its_field_and_the_rest_stays(live_site: Site) -> None:
    client, store = live_site.sign_in(), live_site.store
    csrf, there = token(client), made(store)
    for address in (NEW, f"{REPORTS}/schedules/{there.id}"):
        for field, value in ((name, value) for name, values in WRONG.items() for value in values):
            sent = {**TYPED, "recipients": "cy@example.org", field: value}
            answer = client.post(address, data=sent | csrf)
            assert answer.status_code == 400, (field, value)
            assert re.findall(r'id="(\w+)-error"', answer.text) == [field]
            assert re.findall(r'name="(\w+)"[^>]* aria-invalid', answer.text) == [field]
            assert {name: held(answer.text, name) for name in WRONG} == {name: sent[name] for name in WRONG}
            assert 'name="is_enabled" value="yes" checked' in answer.text
    assert [each.schedule for each in kept(store)] == [KEPT]


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
@pytest.mark.slow
def test_a_wrong_field_has_the_focus_and_says_why(live_site: Site, watched: Watched) -> None:
    page = watched.page
    watched.go(NEW)
    page.get_by_label("Email").fill(live_site.account.email)
    page.get_by_label("Password").fill(live_site.account.password)
    page.keyboard.press("Enter")
    page.get_by_label("Name").fill("Management")
    zone, to = page.get_by_label("Time zone"), page.get_by_role("textbox", name="To", exact=True)
    zone.fill("Europe/Nowhere")
    to.fill("ada@example.org\nbo@example.org")
    page.get_by_role("button", name="Save report").click()
    expect(zone).to_be_focused()
    expect(zone).to_have_accessible_description("a name such as Europe/Prague, or UTC")
    expect(to).to_have_value("ada@example.org\nbo@example.org")
    zone.fill("Europe/Prague")
    page.keyboard.press("Enter")
    expect(page.locator("#schedules tbody tr")).to_contain_text("Europe/Prague")


def test_one_more_than_a_project_may_have_is_told_at_its_name(
    live_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, store = live_site.sign_in(), live_site.store
    monkeypatch.setattr("errata.state.reports.schedules.MOST_A_PROJECT", 1)
    made(store)
    answer = client.post(NEW, data=TYPED | token(client))
    assert answer.status_code == 400 and 'id="name-error"' in answer.text
    assert len(kept(store)) == 1


def test_a_form_of_another_site_changes_nothing(live_site: Site) -> None:
    client, store = live_site.sign_in(), live_site.store
    there = f"{REPORTS}/schedules/{made(store).id}"
    for action in ("save", "off", "delete"):
        for forged in ({}, {"csrf_token": "x"}):
            for address in (NEW, there):
                sent = {**TYPED, "hour": "3", "action": action, **forged}
                assert client.post(address, data=sent).status_code == 403
    assert [each.schedule for each in kept(store)] == [KEPT]


def test_a_member_sees_the_list_and_changes_nothing(live_site: Site) -> None:
    client, store = live_site.sign_in(), live_site.store
    csrf, schedule = token(client), made(store)
    assert store.reports.mails.plan(schedule, WEEK)
    [mail] = store.reports.mails.due()
    store.reports.mails.note_answer(mail, "no", "failed")
    become_a_member(store)
    page = client.get(REPORTS).text
    assert "ada@example.org, bo@example.org" in page and "Friday, 16:00" in page
    assert "Only an owner can change reports" in page
    assert f"{REPORTS}/schedules/" not in page and f"{REPORTS}/mails/" not in page
    there = f"{REPORTS}/schedules/{schedule.id}"
    for address in (NEW, there):
        assert client.get(address).status_code == 403
    for address, action in ((NEW, "save"), (there, "save"), (there, "off"), (there, "delete")):
        assert client.post(address, data={**TYPED, **csrf, "hour": "3", "action": action}).status_code == 403
    assert client.post(f"{REPORTS}/mails/{mail.id}", data=csrf).status_code == 403
    assert [each.schedule for each in kept(store)] == [KEPT]
    assert [each.status for each in store.reports.mails.of_project(1, "shop")] == ["failed"]


def test_the_list_tells_what_became_of_the_last_mail_and_a_failed_one_is_sent_again(live_site: Site) -> None:
    client, store = live_site.sign_in(), live_site.store
    schedule = made(store)
    outcomes = (
        (WEEK, "accepted for 2 of 2", "sent"),
        (WEEK + timedelta(days=7), "550 no <such> box", "failed"),
    )
    for week, words, status in outcomes:
        assert store.reports.mails.plan(schedule, week)
        [mail] = store.reports.mails.due()
        store.reports.mails.note_answer(mail, words, status)
    listed, log = client.get(REPORTS).text.split('id="log"')
    assert "failed" in listed and "550 no &lt;such&gt; box" in listed and "2026-W47" in listed
    assert "accepted for 2 of 2" not in listed and "accepted for 2 of 2" in log
    [again] = re.findall(rf'action="({REPORTS}/mails/[0-9a-f]{{32}})"', log)
    assert client.post(again, data=token(client)).url.path == REPORTS
    assert [mail.week for mail in store.reports.mails.due()] == [WEEK + timedelta(days=7)]
