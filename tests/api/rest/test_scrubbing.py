"""Rules of what a project filters over HTTP: read, replace, preview, with events through real ingest."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import update
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ApiSettings
from errata.state import Store
from errata.state.activity_actions import Action
from errata.state.users import Membership
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issues.latest_payloads import latest_payloads
from errata.warehouse.roles import Role
from tests.api.conftest import Api, Prepared
from tests.processes import WarehouseProcess

PATH = "/api/projects/web-shop/scrubbing"
NONE: dict[str, list[str]] = {
    "filtered_names": [],
    "filtered_patterns": [],
    "kept_names": [],
    "kept_patterns": [],
}


@pytest.fixture
def read(warehouse: WarehouseProcess) -> Iterator[Warehouse]:
    client = warehouse.client(Role.READ)
    yield client
    client.close()


@pytest.fixture
def shop(warehouse: WarehouseProcess, store: Store, prepared: Prepared, read: Warehouse) -> Iterator[Api]:
    app = create_app(ApiSettings(), store, warehouse.client(Role.INGEST), read)
    with TestClient(app, raise_server_exceptions=False) as client:
        yield Api(app, client, store, prepared.account)


def deliver(shop: Api, *events: dict[str, Any]) -> None:
    lines = [json.dumps({"type": "event", "payload": {"event_id": uuid4().hex, **each}}) for each in events]
    headers = {**shop.key, "X-Errata-App-Key": shop.account.app_key, "Content-Type": "application/x-ndjson"}
    answer = shop.client.post("/api/ingest", content="\n".join(lines), headers=headers)
    assert answer.status_code == 200 and answer.json()["accepted"] == len(events), answer.text


def asked(shop: Api, method: str, path: str, body: Any = None) -> Any:
    answer = shop.client.request(method, path, json=body, headers=shop.key)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.slow
def test_rules_are_replaced_previewed_and_applied(shop: Api) -> None:
    assert asked(shop, "GET", PATH) == {**NONE, "changed_at": None, "changed_by": ""}
    events = [
        {
            "message": f"order of CUST-{number}",
            "extra": {"customer": {"name": "Smith"}, "token": "abc", "list": [{"customer": "x"}]},
        }
        for number in range(3)
    ]
    deliver(shop, *events, {"message": "fine", "extra": {"customer": None}})
    rules = {"filtered_names": ["customer"], "filtered_patterns": [r"CUST-\d"], "kept_names": ["token"]}
    found = asked(shop, "POST", f"{PATH}/preview", rules)
    assert (found["event_count"], found["changed_event_count"], found["field_count"]) == (4, 3, 4)
    assert {(each["path"], each["kind"], each["event_count"]) for each in found["fields"]} == {
        ("message", "filtered", 3),
        ("extra.customer", "filtered", 3),
        ("extra.list[].customer", "filtered", 3),
        ("extra.token", "kept", 3),
    }
    by_path = {each["path"]: (each["before"], each["after"]) for each in found["fields"]}
    assert by_path["extra.customer"] == ('{"name":"Smith"}', "[FILTERED]")
    assert by_path["extra.token"] == ("[FILTERED]", "")
    before, after = by_path["message"]
    assert before.startswith("order of CUST-") and after == "order of [FILTERED]"
    assert asked(shop, "GET", PATH)["changed_at"] is None
    saved = asked(shop, "PUT", PATH, rules)
    assert saved["changed_by"].startswith("API key ") and saved == asked(shop, "GET", PATH)
    assert {name: saved[name] for name in NONE} == {**NONE, **rules}
    deliver(shop, events[0])
    # What is stored filtered is not changed any more; what is kept now is not `[FILTERED]`.
    found = asked(shop, "POST", f"{PATH}/preview", rules)
    assert (found["event_count"], found["changed_event_count"]) == (5, 3)
    assert {each["event_count"] for each in found["fields"]} == {3}
    assert asked(shop, "PUT", PATH, {})["changed_at"] is None
    # Without the exception the token of the last event would be filtered again.
    assert [each["path"] for each in asked(shop, "POST", f"{PATH}/preview", {})["fields"]] == ["extra.token"]
    organization_id = shop.store.keys.api.owner(shop.account.api_key).organization_id  # type: ignore[union-attr]
    activity = [entry.action for entry in shop.store.activity.entries(organization_id)]
    assert activity.count(Action.SCRUBBING_RULES_CHANGED) == 2
    listed = asked(shop, "GET", "/api/activity?kind=scrubbing_rules")
    assert len(listed["activity"]) == 2


def test_what_is_wrong_is_said_and_changes_nothing(shop: Api) -> None:
    wrong = {"filtered_names": ["customer"], "filtered_patterns": ["a", "(b"], "kept_patterns": ["x*"]}
    for method, path in (("PUT", PATH), ("POST", f"{PATH}/preview")):
        answer = shop.client.request(method, path, json=wrong, headers=shop.key)
        assert (answer.status_code, answer.json()["error"]) == (400, "scrubbing_rules_not_understood")
        assert answer.json()["message"] == (
            "filtered_patterns, entry 2: missing ): (b; kept_patterns, entry 1: it also matches empty text"
        )
        for body in ({"kept_names": ["a"] * 51}, {"kept_patterns": ["a" * 201]}, {"kept_names": [""]}):
            sent = {"json": body, "headers": shop.key}
            assert shop.error(400, method, path, **sent) == "invalid_parameter"
        nowhere = {"json": {}, "headers": shop.key}
        assert shop.error(404, method, path.replace("web-shop", "x"), **nowhere) == "project_not_found"
    assert asked(shop, "GET", PATH)["changed_at"] is None


def test_only_an_owner_or_the_api_key_changes_and_previews(shop: Api) -> None:
    changes = (("PUT", PATH), ("POST", f"{PATH}/preview"))
    for method, path in changes:
        assert shop.error(401, method, path, json={}) == "invalid_api_key"
    csrf = shop.sign_in()
    for method, path in changes:
        assert shop.error(403, method, path, json={}) == "csrf_failed"
        assert shop.client.request(method, path, json={}, headers=csrf).status_code == 200
    with shop.store.database.writing() as connection:
        connection.execute(update(Membership).values(role="member"))
    for method, path in changes:
        assert shop.error(403, method, path, json={}, headers=csrf) == "forbidden"
    assert shop.client.get(PATH).status_code == 200


def test_the_latest_events_are_read_once_each_and_no_more_than_so_many_bytes(
    shop: Api, read: Warehouse
) -> None:
    project_id = shop.store.projects.of_organization(1)[0].id
    same = {"event_id": uuid4().hex, "message": "a" * 1000}
    for number in range(4):
        deliver(shop, {"message": f"{number}{'a' * 1000}"})
    deliver(shop, same)
    deliver(shop, same)

    def read_back(limit: int, most_bytes: int = 1 << 20) -> list[str]:
        found = latest_payloads(read, project_id, limit, most_bytes)
        return [json.loads(payload)["message"][:1] for payload in found]

    assert read_back(100) == ["a", "3", "2", "1", "0"]
    assert read_back(3) == ["a", "3", "2"]
    assert read_back(100, most_bytes=2500) == ["a", "3"]
    assert latest_payloads(read, project_id + 1, 100, 1 << 20) == []
