"""A statement reads the rows of the projects it names, whatever tables and views it reads."""

from collections.abc import Iterator

import pytest

from errata.warehouse import sql
from errata.warehouse.client import QueryFailed, Warehouse
from errata.warehouse.queries.deletions import IS_KEPT
from errata.warehouse.roles import Role
from errata.warehouse.row_policies import PROJECTS_SETTING, named, tables_of_projects
from errata.warehouse.statement import Statement
from tests.builders import a_mapping, a_variant, an_error_event, insert
from tests.mart_builds import build_marts
from tests.processes import WarehouseProcess

OWN, OTHER = 7, 8
EVENTS = (
    "select project_id, count() as n from errata_raw.error_events group by project_id order by project_id"
)


@pytest.fixture
def filled(warehouse: WarehouseProcess) -> WarehouseProcess:
    ingest = warehouse.client(Role.INGEST)
    for project_id, count in ((OWN, 3), (OTHER, 5)):
        known = {"project_id": project_id, "variant_hash": 11}
        insert(ingest, "errata_raw.error_events", [an_error_event(**known) for _ in range(count)])
        insert(ingest, "errata_raw.variants", [a_variant(**known)])
        insert(ingest, "errata_raw.variant_issues", [a_mapping(**known, issue_id=project_id)])
    ingest.close()
    return warehouse


@pytest.fixture
def read(filled: WarehouseProcess) -> Iterator[Warehouse]:
    client = filled.client(Role.READ)
    yield client
    client.close()


def test_every_table_with_a_project_has_a_policy(warehouse: WarehouseProcess) -> None:
    rows = warehouse.client(Role.ADMIN).rows(
        "select concat(database, '.', table) as full_name from system.columns where name = 'project_id' "
        "and database in ('errata_raw', 'errata_mart')"
    )
    assert {row["full_name"] for row in rows} == set(tables_of_projects())


def test_a_reader_sees_the_projects_it_names_and_without_any_nothing(read: Warehouse) -> None:
    assert read.rows(EVENTS, {"project_id": OWN}) == [{"project_id": OWN, "n": 3}]
    assert read.rows(EVENTS, {"projects": [OTHER]}) == [{"project_id": OTHER, "n": 5}]
    assert [row["n"] for row in read.rows(EVENTS, {"projects": [OWN, OTHER]})] == [3, 5]
    assert (
        read.rows(EVENTS) == read.rows(EVENTS, {"projects": []}) == read.rows(EVENTS, {"project_id": 9}) == []
    )
    for text in ("", "0", "-1", "x7", "7x", "*", f"{OWN}.0", "' or 1 or '"):
        assert read.rows(EVENTS, settings={PROJECTS_SETTING: text}) == [], text


def test_joins_and_views_are_held_to_the_same_projects(read: Warehouse) -> None:
    joined = """
        select events.project_id as project_id, issues.issue_id as issue_id, count() as n
        from errata_raw.error_events as events
        inner join errata_read.issue_variants as issues on events.variant_hash = issues.variant_hash
        where events.item_id in (select item_id from errata_raw.error_events)
        group by all
    """
    assert read.rows(joined, {"project_id": OWN}) == [{"project_id": OWN, "issue_id": OWN, "n": 3}]
    assert read.rows("select * from errata_read.issue_variants") == []
    counting = Statement("select count() as n from errata_raw.error_events where ${is_kept}")
    assert read.rows(counting.at(is_kept=IS_KEPT), {"project_id": OTHER}) == [{"n": 5}]


def test_a_program_reads_everything_unless_its_question_names_projects(filled: WarehouseProcess) -> None:
    for role in (Role.BUILD, Role.INGEST):
        client = filled.client(role)
        assert [row["n"] for row in client.rows(EVENTS)] == [3, 5]
        assert [row["n"] for row in client.rows(EVENTS, {"project_id": OTHER})] == [5]
        client.close()


def test_a_policy_prunes_as_a_condition_on_the_key_does(read: Warehouse) -> None:
    explained = "explain indexes = 1 select item_id from errata_raw.error_events"
    plans = {
        project_id: " ".join(
            row["explain"] for row in read.rows(explained, settings={PROJECTS_SETTING: named([project_id])})
        )
        for project_id in (OWN, 9)
    }
    assert "Granules: 0/" in plans[9] and "Granules: 0/" not in plans[OWN]


@pytest.mark.parametrize("role", [Role.READ, Role.BUILD])
def test_who_does_not_say_which_versions_reads_nothing_of_a_mart(
    filled: WarehouseProcess, role: Role
) -> None:
    build_marts(filled, "variant_hourly")
    client = filled.client(role)
    counted = "select sum(event_count) as n from errata_mart.variant_hourly"
    assert client.rows(counted, {"projects": [OWN]}) == [{"n": 3}]
    for untold in ("{}", "{'errata_mart.variant_daily': 'true'}"):
        told = {"additional_table_filters": untold}
        assert client.rows(counted, {"projects": [OWN]}, told) == [{"n": 0}]
    client.close()


def test_a_reader_reads_no_table_without_a_policy(read: Warehouse, warehouse: WarehouseProcess) -> None:
    tables = {
        f"{row['database']}.{row['name']}"
        for row in warehouse.client(Role.ADMIN).rows(
            "select database, name from system.tables where database like 'errata%' and engine != 'View'"
        )
    }
    # Which versions of marts count tells nothing of any project.
    closed = tables - set(tables_of_projects()) - {"errata_ops.builds"}
    assert {"errata_ops.migrations", "errata_ops.window_arrivals"} <= closed
    for table in sorted(closed):
        with pytest.raises(QueryFailed, match="privileges"):
            read.rows(f"select * from {table}")


def test_views_read_with_the_rights_of_who_asks_unless_they_have_no_projects() -> None:
    made_by_definer = {file.path.stem for file in sql.views() if "sql security definer" in file.statements[0]}
    assert made_by_definer == {
        *("build_progress", "disk_space", "engine_load", "erased_marts", "hours_of_arrival"),
        *("latest_checks", "readiness"),
        *("published_versions", "set_aside_windows", "stored_days", "stored_tables"),
    }
