"""Checks of marts that Python makes: they pass over what it makes, and fail over what cannot be."""

from datetime import UTC, datetime, timedelta

import pytest

from errata.warehouse.python_marts import PYTHON_MARTS, checked_tables
from errata.warehouse.roles import Role
from pipelines.builder.data_checks import wrong_rows
from pipelines.marts.change_points import find_change_points
from pipelines.marts.release_impact import judge_releases
from pipelines.marts.similar_issues import compare
from tests.page_loads import RELEASED, deliver, loads
from tests.processes import WarehouseProcess

NOW = timedelta(0)
WRONG = {
    "similar_issues": "(project_id, issue_id, other_issue_id, score) values (7, 5, 5, 0.9)",
    "release_metrics": "(project_id, environment, release, built_through, view_count) "
    "values (7, 'production', 'shop@1.0', '{now}', 100000)",
    "release_impact": "(project_id, environment, release, built_through, effect, effect_low, effect_high) "
    "values (7, 'production', 'shop@1.0', '{now}', 5, 6, 7)",
    "change_points": "(project_id, environment, metric, day, built_through, level_before, level_after, "
    "change_ratio) values (7, 'production', 'load_ms', '2026-01-05', '{now}', 100, 120, 0.5)",
    "budget_status": "(project_id, budget_id, window_end, built_through, threshold, least_samples, "
    "sample_count, value, outcome, state) "
    "values (7, 'a', '2026-01-05 10:00:00', '{now}', 2000, 50, 60, 2100, 'kept', 'kept')",
}


@pytest.mark.slow
def test_what_python_makes_passes_and_what_cannot_be_or_is_missing_does_not(
    warehouse: WarehouseProcess,
) -> None:
    deliver(
        warehouse,
        loads("shop@1.0", RELEASED - timedelta(days=7), 200),
        loads("shop@1.1", RELEASED, 200, factor=1.3, seed=2),
    )
    builder, admin = warehouse.client(Role.BUILD), warehouse.client(Role.ADMIN)
    judge_releases(builder, NOW)
    find_change_points(builder, NOW)
    compare(builder, NOW)
    assert {table: wrong_rows(builder, table) for table in checked_tables()} == dict.fromkeys(
        checked_tables(), 0
    )

    admin.execute("delete from errata_mart.release_metrics where release = 'shop@1.1'")
    assert wrong_rows(builder, "errata_mart.release_metrics") == 1
    assert wrong_rows(builder, "errata_mart.release_impact") > 1
    admin.execute("delete from errata_mart.change_points where true")
    assert wrong_rows(builder, "errata_mart.change_points") == 1
    builder.close()
    admin.close()


@pytest.mark.parametrize("table", checked_tables())
def test_a_row_that_contradicts_itself_is_noticed(warehouse: WarehouseProcess, table: str) -> None:
    builder = warehouse.client(Role.BUILD)
    assert wrong_rows(builder, table) == 0
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S.000")
    builder.execute(f"insert into {table} " + WRONG[table.partition(".")[2]].replace("{now}", now))
    assert wrong_rows(builder, table) == 1
    builder.close()


def test_every_mart_of_python_but_proposals_has_a_check() -> None:
    tables = {table for made in PYTHON_MARTS for table in made.tables}
    assert tables - set(checked_tables()) == {"errata_mart.regrouping_proposals"}
