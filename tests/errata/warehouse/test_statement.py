"""What a statement knows of itself, and how it is put together at its places."""

import re
from pathlib import Path

import pytest

from errata.warehouse import sql
from errata.warehouse.asked import recorded
from errata.warehouse.expressions import ALWAYS, Condition, Expression, Number, Text
from errata.warehouse.published import marts_of, reads_published_rows_alone
from errata.warehouse.roles import Role
from errata.warehouse.statement import CLOCK, NAMED, Statement, known
from tests.builders import an_error_event, insert
from tests.processes import WarehouseProcess

LEVEL, COUNT = Text.column("level"), Number.column("event_count")
# They compose texts, until counting is written anew.
TEMPLATES = {"errata/warehouse/statement.py"}


def test_conditions_stand_at_their_places_with_their_values() -> None:
    statement = sql.query("whole_event").at(is_meant=LEVEL.one_of(["$x"]) & (COUNT > 1))
    assert "\nwhere (level in {value_0:Array(String)}) and (event_count > {value_1:UInt64})\n" in statement
    assert statement.values == {"value_0": ["$x"], "value_1": 1}
    assert statement.name == "whole_event"
    assert statement.inputs == {"errata_raw.error_events"}
    assert sql.query("whole_event").values == {}


def test_a_question_reads_its_tables_however_its_keywords_are_written(tmp_path: Path) -> None:
    path = tmp_path / "latest.sql"
    path.write_text("-- purpose: as pasted from elsewhere\n\nSELECT day FROM errata_mart.weekly_trends\n")
    (statement,) = sql.parse(path).statements
    assert marts_of(statement) == ["errata_mart.weekly_trends"]


def test_values_of_a_statement_are_apart_from_those_put_in_later() -> None:
    first = Statement("select ${a}", inputs=frozenset({"errata_raw.x"})).at(a=Condition(("'${b}'",)))
    second = first.at(b=COUNT > 2)
    assert second == "select 'event_count > {value_0:UInt64}'"
    again = Statement("${a}", bindings=second.bindings).at(a=(COUNT > 2) & (COUNT > 3))
    assert again.values == {"value_0": 2, "value_1": 3}


def test_a_place_that_is_left_out_is_an_error() -> None:
    with pytest.raises(KeyError, match="is_found"):
        sql.query("users_listed").at(is_meant=ALWAYS)


def test_a_table_that_is_put_in_is_read() -> None:
    assert sql.query("expired_rows").at(table="errata_raw.spans").inputs == {"errata_raw.spans"}
    windows = sql.build_statement("windows_of_mart").at(mart="variant_daily", column="day")
    assert marts_of(windows) == ["errata_mart.variant_daily"]
    model = sql.model("variant_totals").statements[1]
    filling = sql.build_statement("fill_mart").at(mart="variant_totals", model=model)
    assert "errata_mart.variant_daily" in marts_of(filling)


def test_what_a_condition_reads_is_read() -> None:
    assigned = sql.query("variants_assigned").expression(Expression, issue_id=7)
    counted = Statement("select 1 from errata_mart.variant_daily where ${a}", "", frozenset())
    statement = counted.at(a=Number.column("variant_hash").among(assigned))
    assert statement.inputs == {"errata_raw.variant_assignments"}
    assert statement.values == {"value_0": 7}


def test_views_are_read_for_the_marts_behind_them() -> None:
    statement = sql.query("latest_events_begin")
    assert {"errata_mart.variant_daily", "errata_mart.variant_hourly"} <= set(marts_of(statement))
    assert not reads_published_rows_alone(statement)
    assert reads_published_rows_alone(sql.query("page_metrics"))


def test_a_statement_runs_with_the_values_that_are_its_own(warehouse: WarehouseProcess) -> None:
    """Two with the same text have their own, and plain text that looks the same has none."""
    insert(warehouse.client(Role.INGEST), "errata_raw.error_events", [an_error_event(level="error")])
    read = warehouse.client(Role.READ)
    counting = Statement("select count() as n from errata_raw.error_events where ${is_meant}")
    for level, count in (("error", 1), ("fatal", 0), ("error", 1)):
        statement = counting.at(is_meant=LEVEL.one_of([level]))
        with recorded() as asked:
            assert read.rows(statement, {"projects": [7]}) == [{"n": count}]
        assert asked[-1].parameters == {"value_0": [level], "projects": [7]}
        assert known(str(statement)).values == {}
    read.close()


def test_a_file_over_published_rows_alone_asks_no_clock() -> None:
    """Its result is kept until the next build."""
    paths = [*sql.queries().values(), *(sql.DIRECTORY / "checks").glob("*.sql")]
    statements = [one for path in paths for one in sql.parse(path).statements]
    kept = [one for one in statements if reads_published_rows_alone(one)]
    views = {view.name: view.statements[0] for view in sql.views()}
    texts = {one.name: "".join([one, *(views.get(name, "") for name in one.inputs)]) for one in kept}
    assert len(kept) > 40
    assert [name for name, text in texts.items() if CLOCK.search(re.sub(r"--.*", "", text))] == []


def test_plain_text_reads_what_it_names() -> None:
    assert known("select 1 from errata_mart.issues, system.parts").inputs == {
        "errata_mart.issues",
        "system.parts",
    }
    for name in sql.queries():
        # What the header says is never less than what the text says.
        statement = sql.query(name)
        written = {
            one for one in NAMED.findall(statement) if one.startswith(("errata_mart.", "errata_read."))
        }
        assert written <= statement.inputs, name


def test_only_a_statement_puts_texts_together() -> None:
    folders = ("errata", "api", "pipelines", "dashboards")
    modules = [path for folder in folders for path in sorted(Path(folder).rglob("*.py"))]
    composing = {path.as_posix() for path in modules if "string import Template" in path.read_text()}
    assert composing <= TEMPLATES
