"""Configurations of grouping over HTTP: draft, preview, apply, roll back, with events through real ingest."""

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
from errata.state.grouping import NumberedConfiguration
from errata.warehouse.roles import Role
from pipelines.marts.regrouping_proposals import propose
from tests.api.conftest import Api, Prepared
from tests.processes import WarehouseProcess

PATH = "/api/projects/web-shop/grouping"


@pytest.fixture
def shop(warehouse: WarehouseProcess, store: Store, prepared: Prepared) -> Iterator[Api]:
    app = create_app(ApiSettings(), store, warehouse.client(Role.INGEST), warehouse.client(Role.READ))
    with TestClient(app, raise_server_exceptions=False) as client:
        yield Api(app, client, store, prepared.account)


def an_event(type_: str, function: str) -> dict[str, Any]:
    frame = {"module": "shop.cart", "function": function, "filename": "shop/cart.py", "in_app": True}
    exception = {"type": type_, "value": "no", "stacktrace": {"frames": [frame]}}
    return {"event_id": uuid4().hex, "platform": "python", "exception": {"values": [exception]}}


def coded(number: int) -> dict[str, Any]:
    """An error that only version 4 tells from others of its kind."""
    message = f"Minified React error #{number}; visit https://react.dev/errors/{number}?args[]=HTML"
    exception = {"type": "Error", "value": message}
    return {"event_id": uuid4().hex, "platform": "javascript", "exception": {"values": [exception]}}


def deliver(shop: Api, *events: dict[str, Any]) -> None:
    lines = [json.dumps({"type": "event", "payload": event}) for event in events]
    headers = {**shop.key, "X-Errata-App-Key": shop.account.app_key, "Content-Type": "application/x-ndjson"}
    answer = shop.client.post("/api/ingest", content="\n".join(lines), headers=headers)
    assert answer.status_code == 200 and answer.json()["accepted"] == len(events), answer.text


def asked(shop: Api, method: str, path: str, **body: Any) -> Any:
    answer = shop.client.request(method, path, json=body or None, headers=shop.key)
    assert answer.status_code in (200, 204), answer.text
    return answer.json() if answer.content else None


def counts(shop: Api) -> list[int]:
    listed = asked(shop, "GET", "/api/projects/web-shop/issues")["issues"]
    return sorted(issue["event_count"] for issue in listed)


@pytest.mark.parametrize("version", [True, "1"])
def test_a_version_that_is_no_whole_number_is_refused(shop: Api, version: object) -> None:
    answer = shop.client.put(f"{PATH}/draft", json={"version": version}, headers=shop.key)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_parameter"), answer.text


@pytest.mark.slow
def test_rules_are_previewed_applied_and_rolled_back(shop: Api) -> None:
    deliver(shop, *(an_event("KeyError", f"f{n}") for n in range(3)), an_event("OSError", "g"))
    before = {issue["id"] for issue in asked(shop, "GET", "/api/projects/web-shop/issues")["issues"]}
    assert counts(shop) == [1, 1, 1, 1]
    draft = asked(shop, "PUT", f"{PATH}/draft", version=2, rules="type:KeyError -> keys")
    assert (draft["number"], draft["state"]) == (2, "draft")
    told = asked(shop, "GET", f"{PATH}/2/preview")
    assert (told["issue_count_before"], told["issue_count_after"]) == (4, 2)
    assert (told["split_count"], told["join_count"], told["moved_variant_count"]) == (0, 1, 2)
    (join,) = told["joins"]
    assert [piece["title"] for piece in join["others"]] == ["KeyError: no"] * 3
    assert sorted(piece["frames"] for piece in join["others"]) == [[f"shop.cart in f{n}"] for n in range(3)]
    assert counts(shop) == [1, 1, 1, 1]
    asked(shop, "POST", f"{PATH}/2/apply")
    deliver(shop, an_event("KeyError", "later"))
    listed = asked(shop, "GET", "/api/projects/web-shop/issues")["issues"]
    assert {issue["id"] for issue in listed} < before and counts(shop) == [1, 4]
    asked(shop, "POST", f"{PATH}/rollback")
    after = {issue["id"] for issue in asked(shop, "GET", "/api/projects/web-shop/issues")["issues"]}
    assert counts(shop) == [1, 1, 1, 1, 1] and before < after
    deliver(shop, an_event("KeyError", "f0"), an_event("KeyError", "later"))
    assert counts(shop) == [1, 1, 1, 2, 2]
    states = [each["state"] for each in asked(shop, "GET", PATH)["configurations"]]
    assert states == ["rolled_back", "active"]
    activity = shop.store.activity.entries(shop.store.keys.api.owner(shop.account.api_key).organization_id)  # type: ignore[union-attr]
    assert {"grouping.applied", "grouping.rolled_back"} <= {entry.action for entry in activity}


@pytest.mark.slow
def test_a_new_version_moves_nothing_until_it_is_applied(shop: Api) -> None:
    asked(shop, "PUT", f"{PATH}/draft", version=3)
    asked(shop, "POST", f"{PATH}/2/apply")
    deliver(shop, coded(418), coded(418), coded(425))
    assert counts(shop) == [3]
    asked(shop, "PUT", f"{PATH}/draft", version=4)
    told = asked(shop, "GET", f"{PATH}/3/preview")
    assert (told["issue_count_before"], told["issue_count_after"], told["split_count"]) == (1, 2, 1)
    deliver(shop, coded(425))
    assert counts(shop) == [4]
    asked(shop, "POST", f"{PATH}/3/apply")
    assert counts(shop) == [2, 2]
    deliver(shop, coded(425))
    assert counts(shop) == [2, 3]


def test_configurations_of_version_1_use_the_current_version_and_stored_issues_stay(shop: Api) -> None:
    deliver(shop, coded(418), an_event("KeyError", "f"))
    before = asked(shop, "GET", "/api/projects/web-shop/issues")["issues"]
    asked(shop, "PUT", f"{PATH}/draft", rules="type:KeyError -> keys")
    with shop.store.database.writing() as connection:
        connection.execute(update(NumberedConfiguration).values(fingerprint_version=1))
    shown = asked(shop, "GET", PATH)
    assert [each["version"] for each in shown["configurations"]] == [4, 4] and shown["versions"] == [2, 3, 4]
    told = asked(shop, "GET", f"{PATH}/2/preview")
    assert (told["issue_count_before"], told["issue_count_after"], told["moved_variant_count"]) == (2, 2, 0)
    assert asked(shop, "GET", "/api/projects/web-shop/issues")["issues"] == before
    deliver(shop, coded(418), coded(425), an_event("KeyError", "f"))
    assert counts(shop) == [1, 2, 2]
    refused = {"json": {"version": 1}, "headers": shop.key}
    assert shop.error(400, "PUT", f"{PATH}/draft", **refused) == "invalid_parameter"


def test_what_cannot_be_read_or_done_is_said(shop: Api) -> None:
    wrong = {"rules": "type:A -> a\nkind:B -> b"}
    answer = shop.client.put(f"{PATH}/draft", json=wrong, headers=shop.key)
    assert (answer.status_code, answer.json()["error"]) == (400, "grouping_rules_not_understood")
    assert "line 2, column 1" in answer.json()["message"]
    version = {"json": {"version": 99}, "headers": shop.key}
    assert shop.error(400, "PUT", f"{PATH}/draft", **version) == "invalid_parameter"
    for path in (f"{PATH}/2/apply", f"{PATH}/9/preview"):
        method = "POST" if path.endswith("apply") else "GET"
        assert shop.error(404, method, path, headers=shop.key) == "grouping_configuration_not_found"
    assert shop.error(409, "POST", f"{PATH}/rollback", headers=shop.key) == "nothing_to_roll_back"
    asked(shop, "PUT", f"{PATH}/draft", rules="type:A -> a")
    asked(shop, "PUT", f"{PATH}/draft", rules="type:A -> b")
    assert [each["rules"] for each in asked(shop, "GET", PATH)["configurations"]] == ["type:A -> b", ""]
    asked(shop, "DELETE", f"{PATH}/draft")
    assert len(asked(shop, "GET", PATH)["configurations"]) == 1


@pytest.mark.slow
def test_what_the_pipelines_proposed_is_what_a_preview_tells_and_an_applying_records(
    shop: Api, warehouse: WarehouseProcess
) -> None:
    builder = warehouse.client(Role.BUILD)
    deliver(shop, *(an_event("KeyError", f"f{n}") for n in range(3)), an_event("OSError", "g"))
    assert list(propose(builder)) == []
    asked(shop, "PUT", f"{PATH}/draft", version=2, rules="type:KeyError -> keys")
    before = asked(shop, "GET", f"{PATH}/2/preview")
    (done,) = propose(builder)
    assert (done.configuration, done.variant_count) == (2, 4)
    assert (done.outcome.issue_count_before, done.outcome.issue_count_after) == (4, 2)
    assert asked(shop, "GET", f"{PATH}/2/preview") == before
    # Only what arrived since; and of other rules everything.
    deliver(shop, an_event("KeyError", "later"))
    assert [done.variant_count for done in propose(builder)] == [1]
    asked(shop, "PUT", f"{PATH}/draft", version=2, rules="type:* -> one")
    assert [done.variant_count for done in propose(builder)] == [5]
    assert asked(shop, "GET", f"{PATH}/2/preview")["issue_count_after"] == 1
    asked(shop, "DELETE", f"{PATH}/draft")
    assert list(propose(builder)) == []
    asked(shop, "PUT", f"{PATH}/draft", version=2, rules="type:KeyError -> keys")
    assert [done.variant_count for done in propose(builder)] == [0]
    asked(shop, "POST", f"{PATH}/2/apply")
    assert list(propose(builder)) == [] and counts(shop) == [1, 4]
