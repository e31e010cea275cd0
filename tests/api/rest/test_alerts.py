from typing import Any

import pytest

from errata.budgets.limit import Limit
from tests.api.conftest import Api

WEBHOOK = {"kind": "webhook", "name": "Ops", "settings": {"url": "https://example.org/hook"}}


def made(api: Api, **changes: Any) -> dict[str, Any]:
    answer = api.client.post("/api/alert-channels", json={**WEBHOOK, **changes}, headers=api.key)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def rule(**changes: Any) -> dict[str, Any]:
    return {"name": "New", "kind": "new", "query": "environment:production", **changes}


@pytest.mark.slow
def test_a_channel_tells_its_key_once_and_never_again(api: Api) -> None:
    created = made(api)
    assert created["signing_secret"].startswith("whsec_")
    listed = api.client.get("/api/alert-channels", headers=api.key)
    assert created["signing_secret"] not in listed.text
    [shown] = listed.json()["channels"]
    assert shown["settings"] == WEBHOOK["settings"] and "signing_secret" not in shown
    given = made(api, secret="whsec_" + "QUJD" * 10, name="Own key")
    assert given["signing_secret"] == ""
    slack = made(
        api, kind="slack", settings={}, secret="https://hooks.slack.com/services/T0/B0/abcdefgh", name="Chat"
    )
    assert slack["secret_ending"] == "efgh" and "services" not in str(slack)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"settings": {"url": "http://example.org/"}}, "address_refused"),
        ({"settings": {"url": "https://10.0.0.1/"}}, "address_refused"),
        ({"settings": {"url": "https://169.254.169.254/latest"}}, "address_refused"),
        *(
            ({"settings": {"url": f"https://{host}/"}}, "address_refused")
            for host in ("2130706433", "0x7f.1", "127.1", "0", "[::]", "127.0.0.1.", "localhost")
        ),
        ({"kind": "slack", "settings": {}, "secret": "https://127.1/"}, "address_refused"),
        (
            {
                "kind": "email",
                "settings": {"to": "a@example.org", "from": "b@example.org", "host": "0x7f.1"},
            },
            "address_refused",
        ),
        ({"settings": {}}, "address_refused"),
        ({"settings": {"url": "https://example.org/", "more": 1}}, "invalid_parameter"),
        ({"secret": "whsec_short"}, "invalid_parameter"),
        ({"secret": "whsec_" + "ä" * 40}, "invalid_parameter"),
        ({"hourly_limit": 0}, "invalid_parameter"),
        ({"kind": "pigeon"}, "invalid_parameter"),
        ({"kind": "slack", "settings": {}}, "invalid_parameter"),
        ({"kind": "email", "settings": {"to": ["ada@example.org"]}}, "invalid_parameter"),
        ({"kind": "email", "settings": {"to": "nobody", "host": "smtp.example.org"}}, "invalid_parameter"),
        ({"name": "a\nb"}, "invalid_parameter"),
    ],
)
def test_a_channel_that_cannot_work_is_refused(api: Api, changes: dict[str, Any], code: str) -> None:
    body = {**WEBHOOK, **changes}
    assert api.error(400, "POST", "/api/alert-channels", json=body, headers=api.key) == code


def test_a_password_needs_a_user_and_tls(api: Api) -> None:
    settings = {
        "to": "ada@example.org bo@example.org",
        "host": "smtp.example.org",
        "from": "errata@example.org",
    }
    kept = made(api, kind="email", settings=settings)
    assert kept["settings"]["to"] == ["ada@example.org", "bo@example.org"]
    assert (kept["settings"]["port"], kept["settings"]["security"]) == (587, "starttls")
    for wrong in (
        {"user": "errata"},
        {"user": "errata", "security": "none", "secret": "x"},
        {"user": "errata", "secret": "pässword"},
        {"user": "jürgen", "secret": "password"},
    ):
        secret = str(wrong.pop("secret", ""))
        body = {"kind": "email", "name": "Mail", "settings": {**settings, **wrong}, "secret": secret}
        assert (
            api.error(400, "POST", "/api/alert-channels", json=body, headers=api.key) == "invalid_parameter"
        )


def test_a_rule_is_made_changed_and_deleted_and_the_activity_log_tells(api: Api) -> None:
    channel = made(api)["id"]
    rules = f"/api/projects/{api.account.project}/alert-rules"
    answer = api.client.post(rules, json=rule(channels=[channel]), headers=api.key)
    assert answer.status_code == 201, answer.text
    created = answer.json()
    assert created["channels"] == [channel] and created["fired_count"] == 0
    over = {"over": 100, "window_minutes": 15, "scope": "issue"}
    changed = api.client.put(
        f"{rules}/{created['id']}",
        json=rule(name="Many", kind="events", condition=over, is_on=False, priorities=["low", "high"]),
        headers=api.key,
    ).json()
    assert (changed["name"], changed["condition"], changed["is_on"], changed["channels"]) == (
        "Many",
        over,
        False,
        [],
    )
    assert (created["priorities"], changed["priorities"]) == ([], ["high", "low"])
    assert changed["evaluated_until"] >= created["evaluated_until"]
    assert api.client.get(rules, headers=api.key).json()["rules"] == [changed]
    assert api.client.delete(f"{rules}/{created['id']}", headers=api.key).status_code == 204
    assert api.error(404, "GET", f"{rules}/{created['id']}", headers=api.key) == "alert_rule_not_found"
    told = api.client.get("/api/activity?kind=alert_rule", headers=api.key).json()["activity"]
    assert [entry["action"] for entry in told] == [
        "alert_rule.deleted",
        "alert_rule.changed",
        "alert_rule.created",
    ]


def test_a_rule_that_follows_a_budget_is_shown_as_it_can_be_sent(api: Api) -> None:
    owner = api.store.users.find(api.account.email)
    assert owner
    limit = Limit("load_ms", "p75", 1500.0)
    budget = api.store.budgets.create(
        owner.organization_id, api.account.project, "Fast", limit, actor=owner.email
    )
    follows = {"budget_id": budget.id}
    rules = f"/api/projects/{api.account.project}/alert-rules"
    given = rule(kind="budget", condition=follows, query="")
    created = api.client.post(rules, json=given, headers=api.key).json()
    assert created["condition"] == follows
    [shown] = api.client.get(rules, headers=api.key).json()["rules"]
    names = ("name", "kind", "condition", "query", "priorities", "cap_minutes", "is_on", "channels")
    again = api.client.put(
        f"{rules}/{shown['id']}", json={name: shown[name] for name in names}, headers=api.key
    )
    assert again.json() == created


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "budget"},
        {"kind": "budget", "condition": {"budget_id": "0" * 32}},
        {"condition": {"over": 1}},
        {"kind": "events"},
        {"kind": "events", "condition": {"over": -1}},
        {"kind": "events", "condition": {"over": True}},
        {"kind": "events", "condition": {"over": 5, "window_minutes": 7}},
        {"kind": "users", "condition": {"over": 5, "scope": "world"}},
        {"query": "is:unresolved"},
        {"cap_minutes": 4},
        {"priorities": ["urgent"]},
        {"kind": "events", "condition": {"over": 5, "scope": "all"}, "priorities": ["high"]},
        {"channels": ["0" * 32]},
        {"name": "\t"},
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(api: Api, changes: dict[str, Any]) -> None:
    rules = f"/api/projects/{api.account.project}/alert-rules"
    assert api.error(400, "POST", rules, json=rule(**changes), headers=api.key) == "invalid_parameter"
    assert api.client.get(rules, headers=api.key).json() == {"rules": []}


def test_a_test_says_what_went_wrong_and_stands_in_the_log(api: Api) -> None:
    channel = made(api, settings={"url": "https://no-such-host.invalid/"})["id"]
    answer = api.client.post(f"/api/alert-channels/{channel}/test", headers=api.key).json()
    assert (answer["status"], answer["kind"], answer["attempt_count"]) == ("failed", "test", 1)
    assert "unknown host name" in answer["answer"]
    log = api.client.get(f"/api/projects/{api.account.project}/alert-messages", headers=api.key).json()
    assert log == {"messages": [answer], "next_cursor": None}
    again = api.client.post(f"/api/alert-channels/{channel}/test", headers=api.key).json()
    first = api.client.get(
        f"/api/projects/{api.account.project}/alert-messages?limit=1", headers=api.key
    ).json()
    assert first["messages"] == [again]
    rest = api.client.get(
        f"/api/projects/{api.account.project}/alert-messages",
        params={"cursor": first["next_cursor"]},
        headers=api.key,
    ).json()
    assert rest["messages"] == [answer]
    assert api.client.delete(f"/api/alert-channels/{channel}", headers=api.key).status_code == 204
    missing = f"/api/alert-channels/{channel}/test"
    assert api.error(404, "POST", missing, headers=api.key) == "alert_channel_not_found"
