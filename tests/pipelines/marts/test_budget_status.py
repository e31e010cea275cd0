"""The history of budgets that analysts read: each window as it was judged, by the limit it had then."""

from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest

from errata.budgets.evaluation import evaluations
from errata.budgets.limit import Limit
from errata.budgets.state import Evaluation, State
from errata.state import Store
from errata.state.budgets import Budget
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.python_marts import BUDGET_STATUS
from errata.warehouse.queries.performance.metric_over_time import last_end
from errata.warehouse.roles import Role
from pipelines.assets.python import python_assets
from pipelines.builder.data_checks import wrong_rows
from pipelines.marts.budget_status import FIRST_SPAN, TABLE, judge_budgets
from pipelines.resources import StateResource, WarehouseResource
from tests.builders import insert
from tests.mart_builds import build_marts
from tests.page_loads import loads
from tests.processes import WarehouseProcess

NOW = datetime.now(UTC)
LOAD = Limit("load_ms", "p75", 2000.0, least_samples=5)
PROJECT = 7
WINDOWS = "select * from errata_analysis.budget_windows where budget_id = {id:String} order by window_end"


def a_budget(limit: Limit = LOAD, number: int = 1, changed_at: datetime = NOW) -> Budget:
    return Budget(
        id=f"{number:032x}",
        project_id=PROJECT,
        name=f"Budget {number}",
        created_at=changed_at,
        created_by="ada@example.org",
        changed_at=changed_at,
        **asdict(limit),
    )


def a_week_of_loads(warehouse: WarehouseProcess, project_id: int = PROJECT) -> None:
    rows = loads("shop@1.0", NOW - timedelta(days=7), 400, project_id=project_id)
    insert(warehouse.client(Role.INGEST), "errata_raw.page_views", rows)
    build_marts(warehouse, "page_metrics_hourly")


def kept(warehouse: WarehouseProcess, budget: Budget) -> list[Row]:
    analyst = warehouse.client(Role.ANALYST)
    rows = analyst.rows(WINDOWS, {"id": budget.id})
    analyst.close()
    return rows


def now_judged(builder: Warehouse, limit: Limit) -> list[Evaluation]:
    until = last_end(datetime.now(UTC), limit.step)
    since = until - FIRST_SPAN
    return [one for one in evaluations(builder, PROJECT, limit, since, until) if one.at > since]


@pytest.mark.slow
def test_a_budget_begins_with_the_history_that_its_page_shows(warehouse: WarehouseProcess) -> None:
    a_week_of_loads(warehouse)
    builder, budget = warehouse.client(Role.BUILD), a_budget()
    done = judge_budgets(builder, [(PROJECT, budget)])
    judged = now_judged(builder, LOAD)
    rows = kept(warehouse, budget)
    assert [(row["outcome"], row["state"], row["sample_count"]) for row in rows] == [
        (one.outcome.value, one.state.value, one.sample_count) for one in judged
    ]
    assert {State.KEPT, State.BREACHED} & {one.outcome for one in judged}
    assert done.window_count == len(judged)
    assert {(row["threshold"], row["name"], row["window_hours"]) for row in rows} == {
        (2000.0, "Budget 1", 24)
    }
    assert wrong_rows(builder, TABLE) == 0
    # No window has ended since.
    assert judge_budgets(builder, [(PROJECT, budget)]).window_count == 0
    builder.close()


@pytest.mark.slow
def test_windows_stay_judged_by_the_limit_that_they_had(warehouse: WarehouseProcess) -> None:
    a_week_of_loads(warehouse)
    builder, budget = warehouse.client(Role.BUILD), a_budget(changed_at=NOW - timedelta(days=9))
    judge_budgets(builder, [(PROJECT, budget)])
    before = kept(warehouse, budget)
    # As if the last windows had not ended yet, and the limit had been changed since.
    admin = warehouse.client(Role.ADMIN)
    later = "window_end > {moment:DateTime('UTC')} settings mutations_sync = 1"
    admin.execute(f"alter table {TABLE} delete where {later}", {"moment": before[-4]["window_end"]})
    stricter = replace(budget, threshold=1.0, changed_at=NOW - timedelta(hours=2))
    assert judge_budgets(builder, [(PROJECT, stricter)]).window_count == 3
    after = kept(warehouse, budget)
    assert [row["threshold"] for row in after] == [2000.0] * (len(before) - 3) + [1.0] * 3
    # As text, in which nan equals nan.
    assert repr(after[:-3]) == repr(before[:-3])
    admin.close()
    builder.close()


@pytest.mark.slow
def test_the_asset_judges_the_budgets_of_the_state_store(warehouse: WarehouseProcess, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'state.db'}"
    store = Store.open(url, b"a secret of more than sixteen bytes")
    store.migrate()
    store.accounts.create_first("Acme", "Web shop", "ada@example.org")
    ((organization_id, project),) = store.projects.all()
    budget = store.budgets.create(organization_id, project.slug, "Loads", LOAD, actor="ada@example.org")
    store.close()
    a_week_of_loads(warehouse, project.id)
    resources = {
        "warehouse": WarehouseResource(url=warehouse.url(Role.BUILD)),
        "state": StateResource(url=url),
    }
    with dg.DagsterInstance.ephemeral() as instance:
        done = dg.materialize([python_assets(BUDGET_STATUS)], instance=instance, resources=resources)
        (told,) = done.asset_materializations_for_node("budget_status")
    rows = kept(warehouse, budget)
    assert (told.metadata["budget_count"].value, told.metadata["window_count"].value) == (1, len(rows))
    assert rows and {row["project_id"] for row in rows} == {project.id}
