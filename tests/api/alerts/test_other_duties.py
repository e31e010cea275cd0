"""Duties that go through projects: one that fails is reported, and the next still gets its answer."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from api import returns
from api.context import Context
from api.decisions import Decisions
from api.joining import joining_duty
from api.linking import Refreshing
from api.regrouping import Regroupings
from api.returns import mark_regressions, wake_ignored
from api.settling import settling_duty
from api.watch.duty import Duty
from api.watch.shares import ItemsFailed
from errata.warehouse.client import QueryFailed, Warehouse
from errata.warehouse.queries.regressions import Regression, regressions_of_projects
from errata.warehouse.queries.workflow import Waiting
from errata.warehouse.roles import Role
from tests.api.alerts.conftest import Hooked, OneTurn
from tests.builders import a_mapping, a_variant, an_error_event, an_issue_action, insert
from tests.processes import WarehouseProcess


@pytest.fixture
def both(hooked: Hooked) -> list[int]:
    """Two projects of the organization."""
    hooked.store.create_project(hooked.organization_id, "Another", actor="owner@example.org")
    return sorted(hooked.store.project_ids())


def run_with_the_first_failing(duty: Duty, seen: list[int], both: Sequence[int]) -> None:
    with pytest.raises(ItemsFailed, match=f"project {both[0]} failed"):
        duty.run(OneTurn())
    assert sorted(seen) == list(both)


def test_a_project_whose_issues_cannot_be_joined_holds_up_no_other(
    hooked: Hooked, both: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    def join(context: Context, project_id: int) -> int:
        seen.append(project_id)
        if project_id == both[0]:
            raise KeyError("score")
        return 0

    monkeypatch.setattr("api.joining.join_near_certain", join)
    run_with_the_first_failing(joining_duty(hooked.context), seen, both)


def test_a_project_whose_grouping_cannot_be_settled_holds_up_no_other(
    hooked: Hooked, both: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    def settle(self: Regroupings) -> None:
        seen.append(self.project_id)
        if self.project_id == both[0]:
            raise QueryFailed("too much", 241)

    monkeypatch.setattr("api.settling.put_right", lambda *_: {})
    monkeypatch.setattr(Regroupings, "settle_if_needed", settle)
    run_with_the_first_failing(settling_duty(hooked.context), seen, both)


def test_an_integration_that_fails_unforeseen_holds_up_no_other(
    hooked: Hooked, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Each:
        def __init__(self, id_: str) -> None:
            self.id = id_

    due = [(Each("link 1"), Each("broken")), (Each("link 2"), Each("works"))]
    seen: list[str] = []

    def refresh(context: Context, link: Any, integration: Any) -> None:
        seen.append(link.id)
        if integration.id == "broken":
            raise UnicodeError("a title")

    monkeypatch.setattr(type(hooked.store), "links_to_refresh", lambda *_: due)
    monkeypatch.setattr("api.linking.refresh", refresh)
    with pytest.raises(ItemsFailed, match="integration broken failed"):
        Refreshing(hooked.context).run(OneTurn())
    assert seen == ["link 1", "link 2"]


def test_a_project_that_cannot_be_asked_about_keeps_no_regression_of_another_from_being_marked(
    warehouse: WarehouseProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    insert(ingest, "errata_raw.variants", [a_variant(project_id=8, variant_hash=3)])
    insert(ingest, "errata_raw.variant_issues", [a_mapping(project_id=8, variant_hash=3, issue_id=103)])
    insert(ingest, "errata_raw.error_events", [an_error_event(project_id=8, variant_hash=3)])
    action = an_issue_action(project_id=8, issue_id=103, action="resolve")
    insert(ingest, "errata_raw.issue_actions", [action])
    later = datetime.now(UTC) + timedelta(seconds=5)
    insert(
        ingest,
        "errata_raw.error_events",
        [an_error_event(project_id=8, variant_hash=3, occurred_at=later)],
    )

    def asked(warehouse: Warehouse, projects: Sequence[int]) -> list[Regression]:
        if 7 in projects:
            raise QueryFailed("out of memory", 241)
        return regressions_of_projects(warehouse, projects)

    monkeypatch.setattr(returns, "regressions_of_projects", asked)
    with pytest.raises(ItemsFailed, match="project 7 failed"):
        mark_regressions(ingest, read, [6, 7, 8, 9])
    monkeypatch.undo()
    assert mark_regressions(ingest, read, [6, 7, 8, 9]) == 0
    ingest.close()
    read.close()


def test_an_issue_whose_condition_cannot_be_read_keeps_no_other_ignored(
    warehouse: WarehouseProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    action_id = an_issue_action()["action_id"]
    told = {"action_id": action_id, "event_count": 5, "user_count": 0, "hour_count": 0, "history": ()}
    waiting = [
        Waiting(project_id=7, issue_id=1, condition={}, **told),
        Waiting(project_id=8, issue_id=2, condition={"kind": "events", "count": 3}, **told),
    ]
    woken: list[int] = []
    monkeypatch.setattr(returns, "waiting_issues", lambda *_: waiting)
    monkeypatch.setattr(Decisions, "append", lambda self, decisions, once: woken.append(1))
    with pytest.raises(ItemsFailed, match="project 7 failed: KeyError"):
        wake_ignored(ingest, read, [7, 8])
    assert len(woken) == 1
    ingest.close()
    read.close()
