"""Priority and comments over HTTP, as the timeline tells of them."""

from typing import Any

import pytest

from errata.warehouse.roles import Role
from tests.api.conftest import Api
from tests.api.rest.test_issue_actions import act, project_id, undo
from tests.api.rest.test_issues import FIRST, SECOND, got, shop
from tests.builders import an_issue_action, insert
from tests.processes import WarehouseProcess

__all__ = ["shop"]
COMMENTS = f"/api/issues/{FIRST}/comments"


def entries(api: Api, issue: str = FIRST) -> list[Any]:
    found: list[Any] = got(api, f"/api/issues/{issue}/activity")["entries"]
    return found


def comment(api: Api, text: str) -> str:
    answer = api.client.post(COMMENTS, json={"text": text}, headers=api.key)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["action_id"])


def found_with(api: Api, query: str) -> set[str]:
    page = got(api, "/api/projects/web-shop/issues", query=query)
    return {issue["id"] for issue in page["issues"]}


@pytest.mark.slow
def test_a_chosen_priority_is_found_taken_back_and_given_up(shop: Api) -> None:
    act(shop, "prioritize", FIRST, SECOND, detail={"priority": "high"})
    low = act(shop, "prioritize", SECOND, detail={"priority": "low"})
    assert (found_with(shop, "priority:high"), found_with(shop, "priority:low")) == ({FIRST}, {SECOND})
    undo(shop, batch_id=low["batch_id"])
    assert found_with(shop, "priority:high") == {FIRST, SECOND}
    act(shop, "prioritize", FIRST, detail={"priority": ""})
    assert found_with(shop, "priority:high") == {SECOND}
    assert [entry["detail"] for entry in entries(shop)] == [{"priority": ""}, {"priority": "high"}]
    assert [entry["is_undone"] for entry in entries(shop, SECOND)] == [True, False]


@pytest.mark.slow
def test_a_comment_is_changed_deleted_and_brought_back_by_its_writer(shop: Api) -> None:
    made = comment(shop, "seen at **noon**")
    address = f"{COMMENTS}/{made}"
    assert shop.client.put(address, json={"text": "seen at one"}, headers=shop.key).status_code == 200
    (entry,) = entries(shop)
    assert (entry["action_id"], entry["text"], entry["is_deleted"]) == (made, "seen at one", False)
    assert entry["edited_at"] is not None
    deleted = shop.client.delete(address, headers=shop.key)
    assert deleted.status_code == 200
    (entry,) = entries(shop)
    assert (entry["text"], entry["is_deleted"], entry["can_be_undone"]) == ("", True, False)
    undo(shop, action_ids=[deleted.json()["action_id"]])
    (entry,) = entries(shop)
    assert (entry["text"], entry["is_deleted"]) == ("seen at one", False)


@pytest.mark.slow
def test_only_the_writer_changes_a_comment_and_none_says_nothing(
    shop: Api, warehouse: WarehouseProcess
) -> None:
    own = project_id(shop)
    others = an_issue_action(
        project_id=own, issue_id=int(FIRST, 16), action="comment", detail='{"text": "mine"}', actor="bob"
    )
    insert(warehouse.client(Role.INGEST), "errata_raw.issue_actions", [others])
    address = f"{COMMENTS}/{others['action_id']}"
    change: dict[str, Any] = {"json": {"text": "not yours"}, "headers": shop.key}
    assert shop.error(404, "PUT", address, **change) == "action_not_found"
    assert shop.error(404, "DELETE", address, headers=shop.key) == "action_not_found"
    made = comment(shop, "said")
    elsewhere = f"/api/issues/{SECOND}/comments/{made}"
    assert shop.error(404, "PUT", elsewhere, **change) == "action_not_found"
    blank = {"json": {"text": " "}, "headers": shop.key}
    assert shop.error(400, "PUT", f"{COMMENTS}/{made}", **blank) == "invalid_parameter"
    assert [entry["text"] for entry in entries(shop)] == ["said", "mine"]
