"""Expressions as SQL, and what the engine makes of them."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID, uuid4

import pytest

from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.expressions import (
    ALWAYS,
    NEVER,
    Bindings,
    Condition,
    Expression,
    Moment,
    Number,
    Text,
    TextMap,
    Texts,
    Uuid,
    all_of,
    any_of,
    spaced,
)
from errata.warehouse.roles import Role
from tests.builders import an_error_event, insert
from tests.cases import each
from tests.processes import WarehouseProcess

LEVEL, RELEASE, COUNT = Text.column("level"), Text.column("release"), Number.column("event_count")
SEEN, TAGS, TITLES = Moment.column("first_seen"), TextMap.column("tags"), Texts.column("titles")
AT = datetime(2026, 11, 21, 4, 0, 0, 250_000, tzinfo=UTC)
ELSEWHERE = AT.astimezone(timezone(timedelta(hours=5)))
HOSTILE = (
    "' or 1 or '",
    "\\",
    "\\' or 1 -- ",
    "`; drop table errata_raw.error_events",
    "{value_0:String}",
    "${value_0}",
    "$value",
    "%_\\%",
    "null",
    "a\tb\nc",
    "/* ü€😀 */",
)


def rendered(expression: Expression) -> tuple[str, list[Any]]:
    """SQL, with each value's type in its place, and the values in order."""
    bindings = Bindings()
    text = bindings.text(expression)
    for name in bindings.parameters:
        text = text.replace(f"{{{name}:", "{")
    return text, list(bindings.parameters.values())


A, B, C = (Condition.column(name) for name in "abc")
RENDERED: list[tuple[Expression, str, list[Any]]] = [
    (LEVEL.one_of(["error", "fatal"]), "level in {Array(String)}", [["error", "fatal"]]),
    (LEVEL.one_of([]), "level in {Array(String)}", [[]]),
    (LEVEL.folded.like("err%"), "lowerUTF8(level) like {String}", ["err%"]),
    (LEVEL.is_present, "level != ''", []),
    (
        LEVEL.contains_all(["x", "y"]),
        "(positionCaseInsensitiveUTF8(level, {String}) > 0)"
        " and (positionCaseInsensitiveUTF8(level, {String}) > 0)",
        ["x", "y"],
    ),
    (
        RELEASE.after_last_at.folded.one_of(["2.0"]),
        "lowerUTF8(arrayElement(splitByChar('@', release), -1)) in {Array(String)}",
        [["2.0"]],
    ),
    (spaced(LEVEL, RELEASE), "concat(level, ' ', release)", []),
    (COUNT > 3, "event_count > {UInt64}", [3]),
    (COUNT <= 0, "event_count <= {UInt64}", [0]),
    (COUNT.is_present, "event_count != 0", []),
    (SEEN >= AT, "first_seen >= {DateTime64(3, 'UTC')}", ["2026-11-21 04:00:00.250"]),
    (SEEN < ELSEWHERE, "first_seen < {DateTime64(3, 'UTC')}", ["2026-11-21 04:00:00.250"]),
    (Uuid.column("item_id").one_of([UUID(int=1)]), "item_id in {Array(UUID)}", [[str(UUID(int=1))]]),
    (TAGS["tenant"].folded.one_of(["a"]), "lowerUTF8(tags[{String}]) in {Array(String)}", ["tenant", ["a"]]),
    (TAGS.has("tenant"), "mapContains(tags, {String})", ["tenant"]),
    (
        TAGS.names.any(lambda name: name.like("t%")),
        "arrayExists(text -> text like {String}, mapKeys(tags))",
        ["t%"],
    ),
    (
        TITLES.any(lambda title: title.like("a") & title.like("b")),
        "arrayExists(text -> (text like {String}) and (text like {String}), titles)",
        ["a", "b"],
    ),
    (all_of([]), "true", []),
    (any_of([]), "false", []),
    (all_of([A]), "a", []),
    (all_of([A, B, C]), "(a) and (b) and (c)", []),
    (any_of([A, B, C]), "(a) or (b) or (c)", []),
    (A & (B | C), "(a) and ((b) or (c))", []),
    (A & B | C, "((a) and (b)) or (c)", []),
    (~(A & B), "not ((a) and (b))", []),
    (~A & ~~B, "(not (a)) and (not (not (b)))", []),
]


@each(("expression", "text", "values"), RENDERED, ids=[each[1] for each in RENDERED])
def test_an_expression_is_text_of_ours_with_values_bound_by_type(
    expression: Expression, text: str, values: list[Any]
) -> None:
    assert rendered(expression) == (text, values)


def test_values_of_one_statement_have_names_of_their_own_unless_they_are_equal() -> None:
    bindings = Bindings()
    texts = [bindings.text(each) for each in (COUNT > 1, COUNT > 2, LEVEL.one_of(["error"]), COUNT < 1)]
    assert texts == [
        "event_count > {value_0:UInt64}",
        "event_count > {value_1:UInt64}",
        "level in {value_2:Array(String)}",
        "event_count < {value_0:UInt64}",
    ]
    assert bindings.parameters == {"value_0": 1, "value_1": 2, "value_2": ["error"]}


def test_an_expression_tells_which_columns_it_reads() -> None:
    names = TITLES.any(lambda title: title.folded.like("%x%"))
    read = ~(names & (COUNT > 3) | TAGS["level"].is_present) & spaced(LEVEL, RELEASE).contains_all(["x"])
    assert read.columns == {"titles", "event_count", "tags", "level", "release"}
    assert ALWAYS.columns == NEVER.columns == all_of([]).columns == frozenset()


@each("name", ["", "level)", "level or 1", "Level", "a.b.c", "tags['x']", "level\n", "é", "1"])
def test_only_names_of_columns_are_columns(name: str) -> None:
    with pytest.raises(ValueError, match="not a column name"):
        Text.column(name)
    assert Text.column("events.level").columns == {"events.level"}


@each("misuse", [lambda: AT <= SEEN < AT, lambda: not A, lambda: bool(A)])
def test_a_condition_is_not_taken_for_its_truth(misuse: Callable[[], object]) -> None:
    with pytest.raises(TypeError, match="neither true nor false"):
        misuse()


def test_rows_of_a_statement_bind_its_parameters() -> None:
    assigned = sql.query("variants_assigned")
    condition = Number.column("variant_hash").among(assigned.expression(Expression, issue_id=7))
    text, values = rendered((COUNT > 1) & condition)
    assert values == [1, 7]
    statement = assigned.replace("{issue_id:UInt64}", "{UInt64}")
    assert text == f"(event_count > {{UInt64}}) and (variant_hash in ({statement}))"
    assert condition.columns == {"variant_hash"}
    assert (condition & (COUNT > 1)).inputs == {"errata_raw.variant_assignments"}


@pytest.fixture
def read(warehouse: WarehouseProcess) -> Warehouse:
    tags = {text: text for text in HOSTILE}
    event = an_error_event(message="' or 1 or '", tags=tags, occurred_at=AT, level="error")
    insert(warehouse.client(Role.INGEST), "errata_raw.error_events", [event])
    return warehouse.client(Role.READ)


def holds(read: Warehouse, *conditions: Condition) -> list[bool]:
    bindings = Bindings()
    asked = ", ".join(f"toBool({bindings.text(condition)})" for condition in conditions)
    statement = f"select [{asked}] as answers from errata_raw.error_events"
    (row,) = read.rows(statement, {"project_id": 7, **bindings.parameters})
    return list(row["answers"])


def test_the_engine_takes_hostile_values_for_values(read: Warehouse) -> None:
    tags, message = TextMap.column("tags"), Text.column("message")
    for text in HOSTILE:
        same = [tags[text].one_of([text]), tags.has(text), tags.names.any(lambda name: name.one_of([text]))]  # noqa: B023
        other = [
            message.one_of([text, f"{text}x"]),
            tags[f"{text}x"].is_present,
            tags[text].one_of([f"{text}x"]),
        ]
        assert holds(read, *same, tags[text].contains_all([text]), *other) == [
            *[True] * 4,
            text == "' or 1 or '",
            *[False] * 2,
        ], text


def test_the_engine_reads_conditions_as_they_were_put_together(read: Warehouse) -> None:
    yes, no = LEVEL.one_of(["error"]), LEVEL.one_of(["fatal"])
    at = Moment.column("occurred_at")
    assert holds(
        read,
        yes | no & no,
        (yes | no) & no,
        ~(yes & no),
        ~yes | no,
        all_of([]),
        any_of([]),
        TAGS.names.any(lambda name: name.like("null") & yes),
        TAGS.names.any(lambda name: name.like("null") & no),
        (at >= AT) & (at <= AT) & at.one_of([AT]),
        (at < AT) | (at > AT),
        spaced(LEVEL, LEVEL).contains_all(["ERR", "r e", *["o"] * 2_000]),
        spaced(LEVEL, LEVEL).contains_all(["err", "rr e"]),
        any_of([~LEVEL.is_present] * 2_000 + [yes]),
        Uuid.column("item_id").one_of([uuid4()]),
    ) == [*[True, False] * 6, True, False]
