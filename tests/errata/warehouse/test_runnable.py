"""A statement as it was asked runs again as text, whatever its values are."""

import re
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from errata.clock import EPOCH
from errata.warehouse import sql
from errata.warehouse.asked import Asked, Table, recorded
from errata.warehouse.client import Warehouse
from errata.warehouse.provenance import question_of
from errata.warehouse.roles import Role
from errata.warehouse.runnable import runnable, text_of
from errata.warehouse.statement import known
from tests.cases import each
from tests.processes import WarehouseProcess

HOSTILE = (
    "",
    "it's",
    "' or 1 = 1 --",
    "\\",
    "\\'",
    "\\\\' union all select 1 --",
    "a\nb\tc\rd",
    "\\\n",
    "\\n",
    "\\\x07\x00\x1f\x7f\x85\u2028\ufeff",
    '`"${x}{value:String}%(value)s%',
    "/* */ -- ;",
    "žluťoučký 🐎",
)
VALUES: tuple[tuple[str, Any], ...] = (
    *(("String", text) for text in HOSTILE),
    ("Array(String)", list(HOSTILE)),
    ("Array(String)", []),
    ("Bool", True),
    ("Bool", False),
    ("Array(Bool)", [True, False]),
    ("UInt64", (1 << 64) - 1),
    ("Int64", -(1 << 63)),
    ("Float64", -0.25),
    ("Float64", float("inf")),
    ("UUID", UUID(int=7)),
    ("Array(UUID)", [UUID(int=7)]),
    ("Date", date(2026, 11, 25)),
    ("Array(Date)", [date(2026, 11, 25)]),
    ("DateTime('UTC')", datetime(2026, 11, 25, 8, 30, 1, tzinfo=UTC)),
    ("DateTime64(3, 'UTC')", datetime(2026, 11, 25, 8, 30, 1, 123000, tzinfo=UTC)),
    ("Array(DateTime64(3, 'UTC'))", [datetime(2026, 11, 25, 8, 30, 1, 123000, tzinfo=UTC)]),
    ("Array(Tuple(String, DateTime('UTC'), UInt32))", [("a'b", "2026-11-25 08:30:01", 5)]),
)


def answers(read: Warehouse, statement: str, *tables: Table, **parameters: Any) -> tuple[Any, Any, Asked]:
    """The rows of the statement, those of its text alone, and the statement as it was asked."""
    with recorded() as asked:
        rows = read.rows(statement, parameters, tables=tables)
    return rows, read.rows(text_of(runnable(asked[-1]))), asked[-1]


def test_a_value_is_the_same_as_a_literal(warehouse_process: WarehouseProcess) -> None:
    read = warehouse_process.client(Role.READ)
    for type_, value in VALUES:
        statement = f"select {{value:{type_}}} as value, toTypeName(value) as type"
        bound, alone, _ = answers(read, statement, value=value)
        assert alone == bound, (type_, value)
    read.close()


def test_a_literal_survives_a_page_and_a_clipboard(warehouse_process: WarehouseProcess) -> None:
    """They would turn a carriage return into the end of a line, and lose what cannot be seen."""
    read = warehouse_process.client(Role.READ)
    for text in HOSTILE:
        _, _, asked = answers(read, "select {value:String} as value", value=text)
        (value,) = [piece.text for piece in runnable(asked) if piece.name == "value"]
        assert value.replace("\u00ad", "").isprintable(), value
    read.close()


def test_braces_in_comments_and_texts_are_no_parameters(warehouse_process: WarehouseProcess) -> None:
    read = warehouse_process.client(Role.READ)
    statement = (
        "-- {value:String} isn't one\nselect '{value:String}' as text, `{value:UInt8}` + {value:UInt8}\n"
    )
    statement += "from (select 1 as `{value:UInt8}`)"
    asked = Asked(known(statement), {"value": 2}, {}, (), "errata_read")
    text = text_of(runnable(asked))
    assert text.startswith(
        "-- {value:String} isn't one\nselect '{value:String}' as text, `{value:UInt8}` + 2::"
    )
    assert [piece.text for piece in runnable(asked) if piece.name] == ["2::UInt8"]
    read.close()


@each("begin", ["", "with more as (select 1 as one) "])
def test_tables_sent_along_are_steps(warehouse_process: WarehouseProcess, begin: str) -> None:
    """Of all parts of a union, and read once however often they are named."""
    read = warehouse_process.client(Role.READ)
    columns = "name String, at DateTime64(3, 'UTC'), is_new Bool"
    fresh = read.table(
        "fresh",
        columns,
        "select\n    {name:String} as name,\n    toDateTime64(1, 3, 'UTC') as at,\n    true as is_new\n"
        "from numbers({count:UInt8})",
        {"name": "a'\nb", "count": 3},
    )
    moved = Table("moved", columns, b"")
    statement = (
        f"{begin}select name, count() as n, max(rand()) > 0 as seen from fresh where at < now() group by 1"
    )
    statement += "\nunion all\nselect name, count(), is_new from moved group by name, is_new"
    statement += "\nunion all\nselect {other:String}, (select count() from fresh), true"
    bound, alone, asked = answers(read, statement, fresh, moved, other="x")
    assert sorted(row["n"] for row in alone) == sorted(row["n"] for row in bound) == [3, 3]
    step = "fresh as materialized (\n    select\n        'a\\'\\nb' as name,\n"
    assert step in text_of(runnable(asked))
    read.close()


def test_settings_of_a_statement_are_kept(warehouse: WarehouseProcess) -> None:
    """Its own clause goes on with the projects and versions that the client sends."""
    read = warehouse.client(Role.READ)
    _, alone, asked = answers(
        read, sql.query("open_issues_of_projects"), projects=[7], since=EPOCH, by_hour=False
    )
    text = text_of(runnable(asked))
    assert alone == []
    assert "settings enable_materialized_cte = 1,\n    log_comment = '7',\n" in text
    assert "additional_table_filters = {'errata_mart." in text
    read.close()


@each("name", sorted(sql.queries()))
def test_a_question_is_known_by_its_statement(name: str) -> None:
    """Also with places filled in; those of counting, as plain text."""
    file = sql.query(name)
    places = re.findall(r"\$\{(\w+)\}", file)
    filled = file.at(**dict.fromkeys(places, "(1 = 1)\n    and true")) if places else file
    assert question_of(filled) == name
    if name in ("arrivals", "counts_of_issues", "issues_listed", "issues_shown"):
        assert question_of(known(str(filled))) == name


def test_a_statement_of_no_question_has_no_name() -> None:
    assert question_of(known("select 1")) == ""


def test_what_is_cached_is_recorded_with_its_statements(warehouse: WarehouseProcess) -> None:
    read = warehouse.client(Role.READ)
    parameters = {"project_id": 7, "environment": "", "since": EPOCH, "until": EPOCH}
    answers, questions = [], []
    for _ in range(2):
        with recorded() as asked:
            answers.append(read.cached("key", lambda: [*read.rows(sql.query("releases_judged"), parameters)]))
        questions.append([question_of(each.statement) for each in asked])
    assert answers[0] is answers[1]
    assert questions[0] == questions[1]
    assert questions[0][-1] == "releases_judged"
    read.close()
