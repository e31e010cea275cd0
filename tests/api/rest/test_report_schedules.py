"""Weekly reports over HTTP: who gets them and when, and what became of each."""

from datetime import UTC, date, datetime

from tests.api.conftest import Api

SCHEDULES = "/api/projects/web-shop/performance/report-schedules"
MAILS = "/api/projects/web-shop/performance/report-mails"
GIVEN = {
    "name": "Board",
    "weekday": "friday",
    "hour": 16,
    "time_zone": "Asia/Tokyo",
    "recipients": ["a@b.example"],
}
WRONG: list[dict[str, object]] = [
    {"weekday": "noday"},
    {"hour": 25},
    {"time_zone": "x"},
    {"recipients": []},
    {"name": ""},
]


def test_a_schedule_is_made_changed_and_removed_and_the_activity_log_tells(api: Api) -> None:
    change = api.sign_in()
    made = api.client.post(SCHEDULES, json=GIVEN, headers=change)
    assert made.status_code == 201, made.text
    shown = made.json()
    assert {name: shown[name] for name in GIVEN} == GIVEN
    following = datetime.fromisoformat(shown["next_at"])
    assert (following.strftime("%A %H"), following > datetime.now(UTC)) == ("Friday 07", True)
    address = f"{SCHEDULES}/{shown['id']}"
    off = api.client.put(address, json={**GIVEN, "is_enabled": False}, headers=change).json()
    assert off["next_at"] is None
    assert api.client.get(SCHEDULES, headers=api.key).json() == {"schedules": [off]}
    assert api.client.delete(address, headers=change).status_code == 204
    assert api.client.get(SCHEDULES, headers=api.key).json() == {"schedules": []}
    assert api.error(404, "PUT", address, json=GIVEN, headers=change) == "report_schedule_not_found"
    owner = api.store.keys.api.owner(api.account.api_key)
    assert owner is not None
    told = api.store.activity.entries(owner.organization_id, kind="report_schedule")
    assert [entry.action.rpartition(".")[2] for entry in told] == ["deleted", "changed", "created"]


def test_what_cannot_be_sent_is_refused(api: Api) -> None:
    change = api.sign_in()
    for wrong in WRONG:
        given = {**GIVEN, **wrong}
        assert api.error(400, "POST", SCHEDULES, json=given, headers=change) == "invalid_parameter"
    assert api.error(403, "POST", SCHEDULES, json=GIVEN) == "csrf_failed"


def test_the_log_tells_what_became_of_each_week(api: Api) -> None:
    change = api.sign_in()
    api.client.post(SCHEDULES, json=GIVEN, headers=change)
    [schedule] = api.store.reports.schedules.enabled()
    assert api.store.reports.mails.plan(schedule, date(2026, 11, 16))
    assert not api.store.reports.mails.plan(schedule, date(2026, 11, 16))
    [mail] = api.client.get(MAILS, headers=api.key).json()["mails"]
    assert (mail["week"], mail["status"], mail["recipients"]) == ("2026-W47", "waiting", ["a@b.example"])
    again = f"{MAILS}/{mail['id']}/again"
    assert api.error(404, "POST", again, headers=change) == "report_mail_not_found"
    [waiting] = api.store.reports.mails.due()
    api.store.reports.mails.note_answer(waiting, "no", "failed")
    assert api.client.post(again, headers=change).status_code == 204
    assert api.client.get(MAILS, headers=api.key).json()["mails"][0]["status"] == "waiting"


def test_a_truth_is_no_hour_and_no_threshold(api: Api) -> None:
    performance = f"/api/projects/{api.account.project}/performance"
    schedule = {"name": "Weekly", "hour": False, "recipients": ["ada@example.org"]}
    budget = {"name": "Loads", "metric": "load_ms", "threshold": False}
    for path, body in (("report-schedules", schedule), ("budgets", budget)):
        assert (
            api.error(400, "POST", f"{performance}/{path}", json=body, headers=api.key) == "invalid_parameter"
        )
