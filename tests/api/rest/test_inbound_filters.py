"""Inbound filters over HTTP: read, replace, preview on stored events, with events through real ingest."""

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
from errata.warehouse.roles import Role
from tests.api.conftest import Api, Prepared
from tests.errata.filters.test_kinds import CRAWLERS
from tests.processes import WarehouseProcess

PATH = "/api/projects/web-shop/inbound-filters"
OFF: dict[str, Any] = {"filters": {}, "changed_at": None, "changed_by": ""}


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


def by_bot(message: str) -> dict[str, Any]:
    return {"message": message, "request": {"headers": {"User-Agent": CRAWLERS[0]}}}


@pytest.mark.slow
def test_filters_are_previewed_replaced_and_applied(shop: Api) -> None:
    assert asked(shop, "GET", PATH) == OFF
    deliver(shop, *[by_bot("checkout failed")] * 3, *[{"message": "checkout failed"}] * 5)
    same = {"event_id": "a" * 32, "message": "ResizeObserver loop"}
    deliver(shop, same)
    deliver(shop, same)
    body = {"filters": {"web-crawlers": [], "error-message": ["*resizeobserver*"], "localhost": []}}
    found = asked(shop, "POST", f"{PATH}/preview", body)
    assert (found["stored_event_count"], found["event_count"], found["filtered_event_count"]) == (10, 9, 4)
    assert found["is_sample"] is False
    assert found["kinds"] == {"error-message": 1, "localhost": 0, "web-crawlers": 3}
    issues = [
        (each["title"], each["filtered_event_count"], each["event_count"], each["kinds"])
        for each in found["issues"]
    ]
    assert issues == [
        ("checkout failed", 3, 8, ["web-crawlers"]),
        ("ResizeObserver loop", 1, 1, ["error-message"]),
    ]
    assert found["issue_count"] == 2
    for each in found["issues"]:
        assert asked(shop, "GET", f"/api/issues/{each['issue_id']}")["title"] == each["title"]
    assert asked(shop, "GET", PATH) == OFF
    saved = asked(shop, "PUT", PATH, body)
    assert saved["changed_by"].startswith("API key ") and saved == asked(shop, "GET", PATH)
    assert saved["filters"] == body["filters"]
    deliver(shop, by_bot("checkout failed"), {"message": "checkout failed"})
    assert asked(shop, "POST", f"{PATH}/preview", body)["event_count"] == 10
    assert asked(shop, "PUT", PATH, {"filters": {}}) == OFF
    deliver(shop, by_bot("checkout failed"))
    found = asked(shop, "POST", f"{PATH}/preview", {"filters": {}})
    assert (found["event_count"], found["filtered_event_count"], found["issues"]) == (11, 0, [])
    listed = asked(shop, "GET", "/api/activity?kind=inbound_filters")["activity"]
    assert [each["action"] for each in listed] == [Action.INBOUND_FILTERS_CHANGED] * 2


def test_a_preview_of_a_project_without_events_is_empty(shop: Api) -> None:
    found = asked(shop, "POST", f"{PATH}/preview", {"filters": {"web-crawlers": []}})
    del found["since"]
    assert found == {
        "stored_event_count": 0,
        "event_count": 0,
        "is_sample": False,
        "filtered_event_count": 0,
        "kinds": {"web-crawlers": 0},
        "issues": [],
        "issue_count": 0,
    }


def test_what_is_wrong_is_said_and_changes_nothing(shop: Api) -> None:
    wrong = {"filters": {"error-message": ["fine", "*"], "ip-address": ["home"], "bots": []}}
    for method, path in (("PUT", PATH), ("POST", f"{PATH}/preview")):
        answer = shop.client.request(method, path, json=wrong, headers=shop.key)
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_parameter")
        said = answer.json()["message"]
        assert said.startswith(
            "filters: error-message, entry 2: this pattern matches everything; "
            "ip-address, entry 1: neither an IP address nor a CIDR range; bots: no such filter"
        )
        bodies: tuple[Any, ...] = (
            {"filters": {"error-message": ["a"] * 51}},
            {"filters": {"error-message": ["a" * 201]}},
            {"filters": {"error-message": [""]}},
            {"filters": []},
            {"filters": {}, "more": 1},
            {},
        )
        for body in bodies:
            assert shop.error(400, method, path, json=body, headers=shop.key) == "invalid_parameter"
        nowhere = {"json": {"filters": {}}, "headers": shop.key}
        assert shop.error(404, method, path.replace("web-shop", "x"), **nowhere) == "project_not_found"
    assert asked(shop, "GET", PATH) == OFF


def test_only_an_owner_or_the_api_key_changes_and_previews(shop: Api) -> None:
    changes = (("PUT", PATH), ("POST", f"{PATH}/preview"))
    none: dict[str, Any] = {"filters": {}}
    for method, path in changes:
        assert shop.error(401, method, path, json=none) == "invalid_api_key"
    csrf = shop.sign_in()
    for method, path in changes:
        assert shop.error(403, method, path, json=none) == "csrf_failed"
        assert shop.client.request(method, path, json=none, headers=csrf).status_code == 200
    with shop.store.database.writing() as connection:
        connection.execute(update(Membership).values(role="member"))
    for method, path in changes:
        assert shop.error(403, method, path, json=none, headers=csrf) == "forbidden"
    assert shop.client.get(PATH).status_code == 200
