"""Two stacks of one bug: delivered, compared by the pipelines, joined, taken apart for good."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.jobs.auto_merge import merge_near_certain
from api.settings import ApiSettings
from errata.state import Store
from errata.warehouse.roles import Role
from pipelines.marts.similar_issues import compare
from tests.api.conftest import SECRET, Api
from tests.processes import WarehouseProcess

NOW = timedelta(0)
INNER = ("view", "pay", "charge", "retry", "send", "post", "read", "parse")
WRAPPED = ("view", "pay", "charge", "retry", "counted", "send", "post", "read", "parse")


@pytest.fixture
def shop(warehouse: WarehouseProcess, tmp_path: Any) -> Iterator[Api]:
    store = Store.open(f"sqlite:///{tmp_path}/state.db", SECRET)
    store.migrate()
    account = store.accounts.create_first("Acme", "Web shop", "owner@example.org")
    app = create_app(ApiSettings(), store, warehouse.client(Role.INGEST), warehouse.client(Role.READ))
    with TestClient(app, raise_server_exceptions=False) as client:
        yield Api(app, client, store, account)
    store.close()


def an_event(*functions: str, type_: str = "PaymentError") -> dict[str, Any]:
    """Outermost call first."""
    frames = [
        {"module": "shop.payments", "function": function, "filename": "shop/payments.py", "in_app": True}
        for function in functions
    ]
    exception = {"type": type_, "value": "card was declined", "stacktrace": {"frames": frames}}
    return {"event_id": uuid4().hex, "platform": "python", "exception": {"values": [exception]}}


def deliver(shop: Api, *events: dict[str, Any]) -> None:
    body = "\n".join(json.dumps({"type": "event", "payload": event}) for event in events)
    headers = {**shop.key, "X-Errata-App-Key": shop.account.app_key}
    assert shop.client.post("/api/ingest", content=body, headers=headers).json()["accepted"] == len(events)


def counts(shop: Api) -> dict[str, int]:
    answer = shop.client.get("/api/projects/web-shop/issues", headers=shop.key)
    return {each["id"]: each["event_count"] for each in answer.json()["issues"]}


@pytest.mark.slow
def test_one_bug_before_and_after_a_wrapper_is_joined_until_a_person_says_no(
    shop: Api, warehouse: WarehouseProcess
) -> None:
    builder, context = warehouse.client(Role.BUILD), shop.app.state.context
    project_id = context.state.projects.ids()[0]
    others = [an_event(f"job_{n}", f"step_{n}", type_=f"Error{n}") for n in range(30)]
    deliver(shop, an_event(*INNER), *others)
    (first,) = counts(shop).keys() - _without(shop, others)
    assert compare(builder, NOW).pairs == 0
    deliver(shop, an_event(*WRAPPED))
    assert compare(builder, NOW).near_certain == 1
    assert compare(builder, NOW).stack_count == 0
    assert len(counts(shop)) == 32
    assert merge_near_certain(context, project_id) == 1
    assert counts(shop)[first] == 2
    deliver(shop, an_event(*WRAPPED))
    assert counts(shop)[first] == 3
    found = shop.client.get(f"/api/issues/{first}/grouping", headers=shop.key).json()
    ((part,), variants) = found["merged"], found["variants"]
    assert (part["by"], part["into"], found["variant_count"]) == ("pipelines", first, 2)
    assert [variant["event_count"] for variant in variants] == [2, 1]
    assert {variant["explanation"]["rule"] for variant in variants} == {"in-app frames"}
    assert shop.client.post(f"/api/issues/{part['id']}/unmerge", headers=shop.key).status_code == 200
    compare(builder, NOW)
    assert merge_near_certain(context, project_id) == 0
    assert counts(shop)[part["id"]] == 2
    assert (
        shop.client.get(f"/api/issues/{first}/grouping", headers=shop.key).json()["possible_duplicates"] == []
    )


@pytest.mark.slow
def test_what_is_alike_but_not_certain_is_suggested_until_somebody_says_it_is_not(
    shop: Api, warehouse: WarehouseProcess
) -> None:
    others = [an_event(f"job_{n}", f"step_{n}", type_=f"Error{n}") for n in range(30)]
    deliver(shop, an_event(*INNER), an_event(*INNER[:-1]), *others)
    assert compare(warehouse.client(Role.BUILD), NOW).near_certain == 0
    one, other = counts(shop).keys() - _without(shop, others)
    found = shop.client.get(f"/api/issues/{one}/grouping", headers=shop.key).json()
    (duplicate,) = found["possible_duplicates"]
    assert duplicate["id"] == other and 0.6 <= duplicate["score"] < 1
    assert duplicate["reason"]["frames"][0]["frame"].startswith("shop.payments")
    path = f"/api/issues/{one}/distinct"
    assert shop.client.post(path, json={"other": other}, headers=shop.key).status_code == 204
    for issue in (one, other):
        found = shop.client.get(f"/api/issues/{issue}/grouping", headers=shop.key).json()
        assert found["possible_duplicates"] == []


def _without(shop: Api, others: list[dict[str, Any]]) -> set[str]:
    """The issues of these events."""
    ids = [event["event_id"] for event in others]
    return {
        shop.client.get(f"/api/events/{event_id}", headers=shop.key).json()["issue_id"] for event_id in ids
    }
