"""A statement for analysts whose query id names a project reads that project alone, whatever its text is."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from errata.warehouse.analysis import analysis_views
from errata.warehouse.client import QueryFailed, Warehouse
from errata.warehouse.project_sql import Format, result_of
from errata.warehouse.roles import Role
from tests.builders import a_mapping, a_variant, an_error_event, insert
from tests.cases import each
from tests.mart_builds import build_marts, let_bound_take_hold
from tests.processes import WarehouseProcess

OWN, OTHER = 7, 8
# What throwIf raises.
THREW = 395
ISSUES = ("variant_hourly", "variant_daily", "variant_totals", "issue_totals", "issues")
OTHERS_ROW = f"throwIf(project_id = {OTHER}, 'LEAK')"


@pytest.fixture(scope="module")
def analyst(warehouse_of_module: WarehouseProcess) -> Iterator[Warehouse]:
    ingest = warehouse_of_module.client(Role.INGEST)
    for project_id, count in ((OWN, 3), (OTHER, 5)):
        known = {"project_id": project_id, "variant_hash": 11}
        insert(ingest, "errata_raw.error_events", [an_error_event(**known) for _ in range(count)])
        insert(ingest, "errata_raw.variants", [a_variant(**known)])
        insert(ingest, "errata_raw.variant_issues", [a_mapping(**known, issue_id=project_id)])
    ingest.close()
    build_marts(warehouse_of_module, *ISSUES)
    let_bound_take_hold(warehouse_of_module)
    client = warehouse_of_module.client(Role.ANALYST)
    yield client
    client.close()


def asked(client: Warehouse, text: str, project_id: int = OWN) -> list[dict[str, Any]]:
    content = b"".join(result_of(client, project_id, text, Format.JSON))
    return [json.loads(line) for line in content.splitlines()]


@each(
    "source",
    [
        "issues",
        "errata_analysis.issues",
        "(select * from issues)",
        "view(select * from issues)",
        "issue_days",
        "(select a.project_id as project_id from issues a cross join issue_days b)",
        "(select * from issues union all select * from issues)",
    ],
)
def test_each_project_reads_its_own_rows(analyst: Warehouse, source: str) -> None:
    text = f"select distinct project_id from {source} as one"
    for project_id in (OWN, OTHER):
        assert asked(analyst, text, project_id) == [{"project_id": project_id}]
    assert asked(analyst, text, 9) == []


def test_every_view_for_analysts_is_restricted(analyst: Warehouse) -> None:
    for view in analysis_views():
        found = asked(analyst, f"select count() as n from {view.name} where project_id != {OWN}")
        assert [int(row["n"]) for row in found] == [0], view.name


def test_the_analyst_with_a_password_still_reads_all(analyst: Warehouse) -> None:
    rows = analyst.rows("select distinct project_id as project_id from issues order by project_id")
    assert [row["project_id"] for row in rows] == [OWN, OTHER]


@each(
    "text",
    [
        f"select count() from issues where {OTHERS_ROW} = 0",
        f"select {OTHERS_ROW} from issues",
        f"select {OTHERS_ROW} from issue_days order by {OTHERS_ROW}",
        f"select count() from issues prewhere {OTHERS_ROW} = 0",
        f"select sum({OTHERS_ROW}) from issues having sum({OTHERS_ROW}) = 0",
        f"select project_id from issues group by project_id having {OTHERS_ROW} = 0",
        f"select count() from issues a join issue_days b on throwIf(b.project_id = {OTHER}, 'LEAK') = 0",
        f"select count() from (select *, {OTHERS_ROW} as x from issues) where x = 0",
        "select count() from issues settings log_comment = '8'",
        "select count() from issues settings additional_table_filters = {'issues': '1'}",
        "show processlist",
        "select * from system.processes",
        "select * from errata_raw.error_events",
        "select * from errata_mart.issues",
        "select * from merge('errata_mart', 'issues')",
        "select * from remote('127.0.0.1', 'errata_analysis', 'issues')",
        "select * from url('http://127.0.0.1/', CSV, 'a String')",
        "select * from file('/etc/passwd', LineAsString)",
        "insert into issues (project_id) values (8)",
        "create view errata_analysis.mine as select 1",
        "drop view errata_analysis.issues",
        "alter user errata_analyst settings readonly = 0",
        "select 1; select 2",
    ],
)
def test_no_text_tells_of_another_project(analyst: Warehouse, text: str) -> None:
    """It is refused for its own reason, or answered without a row of others being looked at."""
    try:
        found = asked(analyst, text)
    except QueryFailed as error:
        assert error.clickhouse_code != THREW, error.reason
    else:
        assert not any("LEAK" in str(value) for row in found for value in row.values())


def test_a_statement_that_fails_later_is_no_whole_result(analyst: Warehouse) -> None:
    pieces = result_of(analyst, OWN, "select throwIf(number = 3000000) from numbers(9000000)", Format.JSON)
    assert next(pieces)
    with pytest.raises(QueryFailed):
        for _ in pieces:
            pass
