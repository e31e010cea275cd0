"""Jobs that go through projects: one that fails is reported, and the next still gets its answer."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from api.context import Context
from api.jobs import regressions, wakes
from api.jobs.auto_merge import auto_merge_job
from api.jobs.failures import ItemsFailed
from api.jobs.job import Job
from api.jobs.regressions import mark_regressions
from api.jobs.regrouping import regrouping_job
from api.jobs.tracker_links import tracker_link_job
from api.jobs.wakes import wake_ignored
from api.regrouping import Regroupings
from errata.resolution.decisions import Decisions
from errata.warehouse.client import QueryFailed, Warehouse
from errata.warehouse.queries.issues.regressions import Regression, regressions_of_projects
from errata.warehouse.queries.issues.waiting import Waiting
from errata.warehouse.roles import Role
from tests.api.jobs.conftest import EndlessRun, Hooked
from tests.builders import a_mapping, a_variant, an_error_event, an_issue_action, insert
from tests.processes import WarehouseProcess


@pytest.fixture
def both(hooked: Hooked) -> list[int]:
    """Two projects of the organization."""
    hooked.store.projects.create(hooked.organization_id, "Another", actor="owner@example.org")
    return sorted(hooked.store.projects.ids())


def run_with_the_first_failing(job: Job, seen: list[int], both: Sequence[int]) -> None:
    with pytest.raises(ItemsFailed, match=f"project {both[0]} failed"):
        job.work(EndlessRun())
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

    monkeypatch.setattr("api.jobs.auto_merge.merge_near_certain", join)
    run_with_the_first_failing(auto_merge_job(hooked.context), seen, both)


def test_a_project_whose_grouping_cannot_be_completed_holds_up_no_other(
    hooked: Hooked, both: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    def complete(self: Regroupings) -> None:
        seen.append(self.project_id)
        if self.project_id == both[0]:
            raise QueryFailed("too much", 241)

    monkeypatch.setattr("api.jobs.regrouping.put_right", lambda *_: {})
    monkeypatch.setattr(Regroupings, "complete_if_needed", complete)
    run_with_the_first_failing(regrouping_job(hooked.context), seen, both)


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

    monkeypatch.setattr(type(hooked.store.tracker_links), "due", lambda *_: due)
    monkeypatch.setattr("api.jobs.tracker_links.refresh", refresh)
    with pytest.raises(ItemsFailed, match="integration broken failed"):
        tracker_link_job(hooked.context).work(EndlessRun())
    assert seen == ["link 1", "link 2"]


@pytest.mark.slow
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

    monkeypatch.setattr(regressions, "regressions_of_projects", asked)
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
    monkeypatch.setattr(wakes, "waiting_issues", lambda *_: waiting)
    monkeypatch.setattr(Decisions, "append", lambda self, decisions, once: woken.append(1))
    with pytest.raises(ItemsFailed, match="project 7 failed: KeyError"):
        wake_ignored(ingest, read, [7, 8])
    assert len(woken) == 1
    ingest.close()
    read.close()
