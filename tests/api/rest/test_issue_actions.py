"""Decisions about many issues at once over HTTP, and taking them back."""

import time
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from api.jobs.regressions import mark_regressions
from errata.warehouse.queries.vocabulary import issue_text
from errata.warehouse.roles import Role
from tests.api.conftest import Api
from tests.api.rest.test_issues import FIRST, SECOND, THIRD, got, shop
from tests.builders import a_mapping, an_error_event, insert
from tests.processes import WarehouseProcess

__all__ = ["shop"]
ACTIONS, UNDO = "/api/projects/web-shop/issues/actions", "/api/projects/web-shop/issues/undo"


def act(api: Api, action: str, *ids: str, **more: Any) -> Any:
    answer = api.client.post(ACTIONS, json={"action": action, "ids": ids, **more}, headers=api.key)
    assert answer.status_code == 200, answer.text
    return answer.json()


def undo(api: Api, **what: Any) -> Any:
    answer = api.client.post(UNDO, json=what, headers=api.key)
    assert answer.status_code == 200, answer.text
    return answer.json()


def statuses(api: Api) -> dict[str, str]:
    """As the view has it that the list and every page read."""
    read = api.app.state.context.read
    rows = read.rows(
        "select issue_id, status from errata_read.issue_states",
        {"project_id": project_id(api)},
    )
    found = {issue_text(row["issue_id"]): row["status"] for row in rows}
    return {issue_id: found.get(issue_id, "unresolved") for issue_id in (FIRST, SECOND, THIRD)}


def project_id(api: Api) -> int:
    return int(got(api, "/api/projects")["projects"][0]["id"])


@pytest.mark.slow
def test_many_issues_are_resolved_together_and_taken_back_together(shop: Api) -> None:
    before = statuses(shop)
    made = act(shop, "resolve", FIRST, SECOND)
    assert (made["count"], set(made["ids"])) == (2, {FIRST, SECOND})
    assert statuses(shop) == {**before, FIRST: "resolved", SECOND: "resolved"}
    assert undo(shop, batch_id=made["batch_id"])["count"] == 2
    assert statuses(shop) == before
    assert undo(shop, batch_id=made["batch_id"])["count"] == 2
    assert statuses(shop) == before


@pytest.mark.slow
def test_undo_brings_back_what_held_before_and_leaves_what_came_after(shop: Api) -> None:
    act(shop, "ignore", FIRST)
    second = act(shop, "resolve", FIRST)
    undo(shop, action_ids=second["action_ids"])
    assert statuses(shop)[FIRST] == "ignored"
    third = act(shop, "resolve", FIRST)
    act(shop, "unresolve", FIRST)
    undo(shop, action_ids=third["action_ids"])
    assert statuses(shop)[FIRST] == "unresolved"


@pytest.mark.slow
def test_all_that_match_are_acted_on_and_a_repeated_request_counts_once(shop: Api) -> None:
    batch = str(uuid4())
    for _ in range(2):
        answer = shop.client.post(
            ACTIONS,
            json={"action": "ignore", "matching": {"query": "Error"}, "batch_id": batch},
            headers=shop.key,
        )
        assert (answer.status_code, answer.json()["count"]) == (200, 3)
    assert set(statuses(shop).values()) == {"ignored"}
    undo(shop, batch_id=batch)
    assert set(statuses(shop).values()) == {"unresolved"}


@pytest.mark.slow
def test_an_issue_regresses_by_the_order_of_releases(shop: Api, warehouse: WarehouseProcess) -> None:
    ingest, read, own = warehouse.client(Role.INGEST), warehouse.client(Role.READ), project_id(shop)

    def occurs(release: str, variant: int = 1) -> None:
        # Rows hold milliseconds: after what was decided before it, and before what is decided next.
        moment = datetime.now(UTC) + timedelta(milliseconds=5)
        event = an_error_event(project_id=own, variant_hash=variant, release=release, occurred_at=moment)
        insert(ingest, "errata_raw.error_events", [event])
        while datetime.now(UTC) <= moment:
            time.sleep(0.001)
        mark_regressions(ingest, read, [own])

    occurs("shop@1.1")
    act(shop, "resolve", FIRST, detail={"in": "next"})
    act(shop, "resolve", SECOND, detail={"in": "release", "release": "shop@1.2"})
    occurs("shop@1.0")
    occurs("shop@1.1")
    occurs("shop@1.1", variant=2)
    assert (statuses(shop)[FIRST], statuses(shop)[SECOND]) == ("resolved", "resolved")
    occurs("shop@1.2")
    occurs("shop@1.2", variant=2)
    assert (statuses(shop)[FIRST], statuses(shop)[SECOND]) == ("regressed", "regressed")
    act(shop, "resolve", FIRST)
    occurs("shop@1.1")
    assert statuses(shop)[FIRST] == "resolved"
    occurs("")
    assert statuses(shop)[FIRST] == "regressed"


@pytest.mark.slow
def test_what_is_wrong_with_a_request_is_said_and_nothing_is_done(
    shop: Api, warehouse: WarehouseProcess
) -> None:
    other = a_mapping(project_id=1, variant_hash=77, issue_id=0xABCDEF)
    insert(warehouse.client(Role.INGEST), "errata_raw.variant_issues", [other])
    for body in (
        {"action": "resolve"},
        {"action": "resolve", "ids": [FIRST], "matching": {}},
        {"action": "vanish", "ids": [FIRST]},
        {"action": "resolve", "ids": ["xyz"]},
        {"action": "resolve", "ids": [FIRST], "detail": {"in": "release"}},
        {"action": "resolve", "ids": [FIRST], "detail": {"release": "1.0"}},
        {"action": "resolve", "ids": [FIRST], "detail": {"until": "2030-01-01T00:00:00Z"}},
        {"action": "ignore", "ids": [FIRST], "detail": {"until": "2020-01-01T00:00:00Z"}},
        {"action": "ignore", "ids": [FIRST], "detail": {"condition": {"kind": "events"}}},
        {"action": "ignore", "ids": [FIRST], "detail": {"condition": {"kind": "escalating", "count": 3}}},
        {"action": "assign", "ids": [FIRST], "detail": {"assignee": "nobody@example.org"}},
        {"action": "prioritize", "ids": [FIRST], "detail": {}},
        {"action": "comment", "ids": [FIRST], "detail": {"text": "  "}},
        {"action": "resolve", "matching": {"query": "nothing matches this"}},
    ):
        assert shop.error(400, "POST", ACTIONS, json=body, headers=shop.key) == "invalid_parameter", body
    for unknown in ("00000000000000aa", "0000000000abcdef"):
        body = {"action": "resolve", "ids": [FIRST, unknown]}
        assert shop.error(404, "POST", ACTIONS, json=body, headers=shop.key) == "issue_not_found"
    assert set(statuses(shop).values()) == {"unresolved"}
    nothing = {"action_ids": [str(uuid4())]}
    assert shop.error(404, "POST", UNDO, json=nothing, headers=shop.key) == "action_not_found"
    assert shop.error(400, "POST", UNDO, json={}, headers=shop.key) == "invalid_parameter"


def test_members_are_listed_to_assign_to(shop: Api) -> None:
    [member] = got(shop, "/api/members")["members"]
    assert (member["email"], member["role"]) == (shop.account.email, "owner")
    made = act(shop, "assign", FIRST, detail={"assignee": shop.account.email.upper()})
    assert made["count"] == 1


@pytest.mark.parametrize("action", ["unassign", "unresolve"])
def test_what_changes_nothing_is_no_error(shop: Api, action: str) -> None:
    before = statuses(shop)
    act(shop, action, FIRST)
    assert statuses(shop) == before


@pytest.mark.slow
def test_as_many_actions_can_be_named_as_the_schema_says(shop: Api) -> None:
    unknown = [str(uuid4()) for _ in range(10_000)]
    assert shop.error(404, "POST", UNDO, json={"action_ids": unknown}, headers=shop.key) == "action_not_found"
    wanted = {"action": "resolve", "ids": [f"{(1 << 64) - 1 - number:016x}" for number in range(10_000)]}
    assert shop.error(404, "POST", ACTIONS, json=wanted, headers=shop.key) == "issue_not_found"


@pytest.mark.parametrize("period", ["ever", "0d", "9999w", "å"])
def test_a_period_that_is_none_is_refused_as_such(shop: Api, period: str) -> None:
    wanted = {"action": "resolve", "matching": {"period": period}}
    answer = shop.client.post(ACTIONS, json=wanted, headers=shop.key)
    assert answer.status_code == 400
    assert answer.json()["message"].startswith("matching.period: ")


def test_issues_are_named_one_way_and_the_refusal_says_so(shop: Api) -> None:
    ways: list[dict[str, Any]] = [{"ids": []}, {"ids": [FIRST], "matching": {}}]
    for wanted in ways:
        answer = shop.client.post(ACTIONS, json={"action": "resolve", **wanted}, headers=shop.key)
        assert (answer.status_code, answer.json()["message"]) == (400, "body: give either ids or matching")


@pytest.mark.slow
def test_a_number_is_no_moment(shop: Api) -> None:
    wanted = {"action": "ignore", "ids": [FIRST], "detail": {"until": 4_000_000_000}}
    answer = shop.client.post(ACTIONS, json=wanted, headers=shop.key)
    assert answer.status_code == 400
    assert answer.json()["message"].startswith("detail.until: ")
