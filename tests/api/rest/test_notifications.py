"""Notifications over HTTP: what happens to issues reaches whom it concerns, and never whoever did it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from api.jobs.notifications import notification_job
from api.jobs.regressions import mark_regressions
from errata.warehouse.roles import Role
from tests.api.conftest import Api
from tests.api.jobs.conftest import EndlessRun
from tests.api.rest.test_issue_actions import act, project_id, undo
from tests.api.rest.test_issues import FIRST, SECOND, THIRD, shop
from tests.builders import an_error_event, an_issue_action, insert
from tests.people import joins
from tests.processes import WarehouseProcess

__all__ = ["shop"]
OWNER, ADA = "owner@example.org", "ada@example.org"
# Also after the job has looked at a moment, once more.
TWICE = 2


def told(api: Api) -> list[tuple[str, str | None, str]]:
    """Kind, issue and detail of the owner's notifications, the latest first, as if the service had started
    anew."""
    job = notification_job(api.app.state.context)
    for _ in range(TWICE):
        job.work(EndlessRun())
    found = api.client.get("/api/notifications").json()["notifications"]
    return [(one["kind"], one["issue_id"], one["detail"]) for one in found]


def by_ada(api: Api, warehouse: WarehouseProcess, action: str, issue: str, detail: str = "") -> None:
    row = an_issue_action(
        project_id=project_id(api), issue_id=int(issue, 16), action=action, detail=detail, actor=ADA
    )
    insert(warehouse.client(Role.INGEST), "errata_raw.issue_actions", [row])


@pytest.fixture
def signed_in(shop: Api) -> Api:
    shop.sign_in()
    joins(shop.store, 1, ADA)
    return shop


def as_owner(api: Api, path: str, **body: Any) -> Any:
    answer = api.client.post(path, json=body, headers=api.sign_in())
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


@pytest.mark.slow
def test_assignments_comments_and_returns_are_told_once(signed_in: Api, warehouse: WarehouseProcess) -> None:
    shop = signed_in
    actions = "/api/projects/web-shop/issues/actions"
    as_owner(shop, actions, action="assign", ids=[SECOND], detail={"assignee": OWNER})
    as_owner(shop, f"/api/issues/{THIRD}/comments", text="I saw this.")
    by_ada(shop, warehouse, "comment", FIRST, '{"text": "Of no concern to the owner."}')
    assert told(shop) == []

    act(shop, "assign", FIRST, detail={"assignee": OWNER})
    assert told(shop) == [("assigned", FIRST, "")]
    # The assignee, and who commented before.
    by_ada(shop, warehouse, "comment", FIRST, '{"text": "Fixed\\n in **main**?"}')
    by_ada(shop, warehouse, "comment", THIRD, '{"text": "So did I."}')
    commented = [("commented", THIRD, "So did I."), ("commented", FIRST, "Fixed in **main**?")]
    assert told(shop)[:2] == commented

    act(shop, "resolve", FIRST)
    own, ingest, read = project_id(shop), warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    moment = datetime.now(UTC) + timedelta(milliseconds=5)
    event = an_error_event(project_id=own, variant_hash=1, release="shop@1.0", occurred_at=moment)
    insert(ingest, "errata_raw.error_events", [event])
    mark_regressions(ingest, read, [own])
    assert told(shop) == [("regressed", FIRST, "in shop@1.0"), *commented, ("assigned", FIRST, "")]

    act(shop, "delete", FIRST)
    assert told(shop) == [("commented", THIRD, "So did I.")]


@pytest.mark.slow
def test_an_assignment_taken_back_is_not_told_and_many_are_told_together(signed_in: Api) -> None:
    shop = signed_in
    made = act(shop, "assign", FIRST, detail={"assignee": OWNER})
    undo(shop, batch_id=made["batch_id"])
    assert told(shop) == []
    act(shop, "assign", FIRST, SECOND, THIRD, detail={"assignee": OWNER})
    assert {issue for _, issue, _ in told(shop)} == {FIRST, SECOND, THIRD}


@pytest.mark.slow
def test_they_are_read_one_by_one_or_all_and_only_by_people(signed_in: Api) -> None:
    shop = signed_in
    act(shop, "assign", FIRST, SECOND, THIRD, detail={"assignee": OWNER})
    assert len(told(shop)) == 3
    page = shop.client.get("/api/notifications?limit=2").json()
    first, second = page["notifications"]
    assert (first["text"].endswith("assigned an issue to you"), page["unread_count"]) == (True, 3)
    assert first["address"] == f"/projects/web-shop/issues/{first['issue_id']}"
    assert first["title"].startswith("Error ")
    (third,) = shop.client.get(f"/api/notifications?cursor={page['next_cursor']}").json()["notifications"]

    read = "/api/notifications/read"
    assert as_owner(shop, read, ids=[first["id"]]) == {"unread_count": 2}
    assert as_owner(shop, read, ids=[], through_id=second["id"]) == {"unread_count": 0}
    assert third["id"] < second["id"]
    assert shop.error(403, "GET", "/api/notifications", headers=shop.key) == "forbidden"
    assert shop.error(403, "POST", read, json={"ids": []}) == "csrf_failed"
