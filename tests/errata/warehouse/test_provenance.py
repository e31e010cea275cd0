"""How an answer is computed follows from the SQL files: nothing of it is written twice."""

import re

import pytest

from errata.warehouse import sql
from errata.warehouse.provenance import QuestionNotFound, columns_of, provenance
from errata.warehouse.python_marts import CHANGE_POINTS, PYTHON_MARTS, RELEASES, SIMILAR_ISSUES
from errata.warehouse.roles import Role
from pipelines.builder.due import make_due
from tests.mart_builds import build_page_metrics
from tests.processes import WarehouseProcess


def test_a_question_leads_through_its_mart_to_raw_rows(warehouse: WarehouseProcess) -> None:
    client = warehouse.client(Role.READ)
    before = provenance(client, "page_metrics")
    assert [source.table for source in before.sources] == [
        "errata_mart.page_loads",
        "errata_mart.page_metrics_daily",
        "errata_raw.page_resources",
        "errata_raw.page_views",
    ]
    assert before.statement == sql.query("page_metrics")
    assert before.sources[0].built_through is None
    build_page_metrics(warehouse)
    mart, *_, raw = provenance(client, "page_metrics").sources
    assert mart.built_through is not None and raw.built_through is None
    assert mart.is_mart and not raw.is_mart
    (recorded,) = warehouse.client(Role.ADMIN).rows(
        "select argMax(file_hash, created_at) as file_hash from errata_ops.mart_models "
        "where mart = {mart:String}",
        {"mart": mart.table},
    )
    assert recorded["file_hash"].startswith(mart.version)
    client.close()


def test_a_mart_that_python_makes_names_its_function_its_inputs_and_its_age(
    warehouse: WarehouseProcess,
) -> None:
    client = warehouse.client(Role.READ)
    (mart, *others) = provenance(client, "shifts").sources
    assert (mart.table, mart.is_mart, mart.model) == ("errata_mart.change_points", True, "")
    assert mart.maker == "pipelines.marts.change_points.find_change_points"
    made_of = {column.name: column.made_of for column in mart.columns}
    assert "errata_mart.page_metrics_daily.values" in made_of["level_after"]
    assert "def find_change_points(" in mart.program and mart.built_through is None
    assert {"errata_mart.page_metrics_daily", "errata_raw.page_views"} <= {one.table for one in others}
    assert len(list(make_due(warehouse.client(Role.BUILD)))) == len(PYTHON_MARTS)
    (mart, *_) = provenance(client, "shifts").sources
    assert mart.built_through is not None
    for made in PYTHON_MARTS:
        assert f"def {made.function}(" in made.source
        assert len({made.code_version, *(one.code_version for one in PYTHON_MARTS)}) == len(PYTHON_MARTS)
    client.close()


def test_what_a_function_computes_with_is_found_by_its_imports() -> None:
    """The tables behind its statements, through views too, and every module whose change changes a value."""
    for made in PYTHON_MARTS:
        assert made.inputs and all(table.startswith(("errata_raw.", "errata_mart.")) for table in made.inputs)
    assert {"errata_raw.variants", "errata_raw.variant_assignments"} <= set(SIMILAR_ISSUES.inputs)
    assert not any("page" in table for table in SIMILAR_ISSUES.inputs)
    assert set(CHANGE_POINTS.inputs) == {"errata_mart.page_metrics_daily", "errata_mart.release_metrics"}
    assert {"errata_raw.error_events", "errata_mart.issues"} <= set(RELEASES.inputs)
    assert {"pipelines.marts.single_releases", "errata.statistics.verdict"} <= set(RELEASES.modules)
    assert "errata.statistics.verdict" not in SIMILAR_ISSUES.modules


def test_the_columns_told_are_those_of_the_warehouse(warehouse: WarehouseProcess) -> None:
    admin = warehouse.client(Role.ADMIN)
    actual: dict[str, list[tuple[str, str]]] = {}
    for row in admin.rows(
        "select table, name, comment from system.columns where database = 'errata_mart' "
        "order by table, position"
    ):
        actual.setdefault(f"errata_mart.{row['table']}", []).append((row["name"], row["comment"]))
    for file in (*sql.models(), *sql.migrations()):
        if file.statements[0].startswith("create table errata_mart."):
            assert [(one.name, one.comment) for one in columns_of(file, file.name)] == actual[file.name]
    admin.close()


def test_the_type_of_a_column_is_told_without_what_else_its_line_says() -> None:
    told = [
        (one.name, one.type)
        for file in (*sql.migrations(), *sql.models())
        for table in file.name.split(", ")
        for one in columns_of(file, table)
    ]
    assert len(told) > 500
    assert [each for each in told if re.search("comment|codec|default", each[1])] == []


def test_a_name_that_is_no_question_is_told_as_such(warehouse: WarehouseProcess) -> None:
    read = warehouse.client(Role.READ)
    for name in ("nothing", "../marts/issues", "page_metrics.sql", ""):
        with pytest.raises(QuestionNotFound):
            provenance(read, name)
    read.close()
