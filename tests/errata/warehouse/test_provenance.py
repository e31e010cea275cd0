"""How an answer is computed follows from the SQL files: nothing of it is written twice."""

import pytest

from errata.warehouse import sql
from errata.warehouse.provenance import QuestionNotFound, columns_of, provenance
from errata.warehouse.roles import Role
from tests.mart_builds import build_page_metrics
from tests.processes import WarehouseProcess


def test_a_question_leads_through_its_mart_to_raw_rows(warehouse: WarehouseProcess) -> None:
    client = warehouse.client(Role.READ)
    before = provenance(client, "page_metrics")
    assert [source.table for source in before.sources] == [
        "errata_mart.page_metrics_daily",
        "errata_raw.page_views",
    ]
    assert before.statement == sql.query("page_metrics")
    assert before.sources[0].built_through is None
    build_page_metrics(warehouse)
    mart, raw = provenance(client, "page_metrics").sources
    assert mart.built_through is not None and raw.built_through is None
    assert mart.is_mart and not raw.is_mart
    (recorded,) = warehouse.client(Role.ADMIN).rows(
        "select argMax(file_hash, created_at) as file_hash from errata_ops.mart_models "
        "where mart = {mart:String}",
        {"mart": mart.table},
    )
    assert recorded["file_hash"].startswith(mart.version)
    client.close()


def test_the_columns_told_are_those_of_the_warehouse(warehouse: WarehouseProcess) -> None:
    admin = warehouse.client(Role.ADMIN)
    actual: dict[str, list[tuple[str, str]]] = {}
    for row in admin.rows(
        "select table, name, comment from system.columns where database = 'errata_mart' "
        "order by table, position"
    ):
        actual.setdefault(f"errata_mart.{row['table']}", []).append((row["name"], row["comment"]))
    for file in sql.models():
        assert [(one.name, one.comment) for one in columns_of(file, file.name)] == actual[file.name]
    admin.close()


def test_every_column_of_performance_figures_is_described() -> None:
    for file in sql.models():
        if file.path.stem in ("page_metrics_daily", "endpoint_metrics_daily", "resource_metrics_daily"):
            assert [one.name for one in columns_of(file, file.name) if not one.comment] == []


def test_a_name_that_is_no_question_is_told_as_such(warehouse: WarehouseProcess) -> None:
    read = warehouse.client(Role.READ)
    for name in ("nothing", "../models/issues", "page_metrics.sql", ""):
        with pytest.raises(QuestionNotFound):
            provenance(read, name)
    read.close()
