"""A statement as text that runs by itself: values in the place of parameters, tables that were sent along as
steps of it, and its settings as a clause."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC
from itertools import chain
from typing import Any

from clickhouse_connect.driver.binding import bind_query, format_str

from errata.warehouse.asked import Asked, Table
from errata.warehouse.published import FILTERS_SETTING, table_filters

# Comments and texts are skipped: braces in them are no parameters.
PLACE = re.compile(r"--[^\n]*|'(?:[^'\\]|\\.|'')*'|`[^`]*`|\{(?P<name>\w+):(?P<type>[^{}]+)\}")
# A sign would bind less than the cast.
NUMBER = re.compile(r"\d+(?:\.\d+)?")
NUMBERS = ("UInt", "Int", "Float")
COMPOUNDS = ("Array(", "Tuple(", "Map(")
# What a page or a clipboard would change; the driver escapes tabs and ends of lines with a backslash before.
CONTROL = re.compile("\\\\([\t\n])|([\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff])")
ESCAPED = {"\t": r"\t", "\n": r"\n"}
SETTINGS = re.compile(r"\nsettings [^\n]+\Z")
STEPS = re.compile(r"with\s+")
DECLARED = re.compile(r"(\w+) ((?:[^,()]|\([^()]*\))+)")
MATERIALIZED = "enable_materialized_cte"


@dataclass(frozen=True)
class Piece:
    """Text of a statement; with the `name` of a parameter, its value."""

    text: str
    name: str = ""


def runnable(asked: Asked) -> tuple[Piece, ...]:
    """The statement in pieces; their texts together give, run by the same user, the same result."""
    first, *rest = _bound(asked)
    steps = list(chain.from_iterable(_step(table) for table in asked.tables))
    if steps and (own := STEPS.match(first.text)):
        first = Piece(f",\n\n{first.text[own.end() :]}")
    elif steps:
        first = Piece(f"\n\n{first.text}")
    begin = [Piece("with "), *steps[1:]] if steps else []
    return (*begin, first, *rest, Piece(_clause(asked)))


def text_of(pieces: Iterable[Piece]) -> str:
    return "".join(piece.text for piece in pieces)


def literal(text: str, type_: str) -> str:
    """The value that the driver sends as this text for a parameter of this type."""
    text = CONTROL.sub(_escaped, text)
    if type_ == "String":
        return f"'{text}'"
    if type_ == "Bool":
        return text.lower()
    if type_.startswith(COMPOUNDS):
        return f"{text}::{type_}"
    if type_.startswith(NUMBERS) and NUMBER.fullmatch(text):
        return f"{text}::{type_}"
    return f"'{text}'::{type_}"


def _bound(asked: Asked) -> Iterator[Piece]:
    statement, texts = bind_query(asked.statement, asked.parameters, UTC)
    assert isinstance(statement, str)
    at = 0
    for place in PLACE.finditer(statement):
        # A value that is not given leaves its parameter as it is.
        if (name := place["name"]) and f"param_{name}" in texts:
            yield Piece(statement[at : place.start()])
            yield Piece(literal(texts[f"param_{name}"], place["type"]), name)
            at = place.end()
    yield Piece(statement[at:])


def _step(table: Table) -> Iterator[Piece]:
    """A step with the table's rows, read once as the table is, behind a comma."""
    yield Piece(",\n\n")
    yield Piece(f"{table.name} as materialized (\n    ")
    if table.asked:
        for piece in _bound(table.asked):
            yield piece if piece.name else Piece(re.sub(r"\n(?=[^\n])", "\n    ", piece.text))
    else:
        declared = DECLARED.findall(table.columns)
        columns = (f"defaultValueOfTypeName({format_str(type_)}) as {name}" for name, type_ in declared)
        yield Piece(f"select {', '.join(columns)}\n    where false")
    yield Piece("\n)")


def _clause(asked: Asked) -> str:
    every = [*(table.asked for table in asked.tables if table.asked), asked]
    versions = {mart: condition for each in every for mart, condition in each.versions.items()}
    settings = {**asked.settings, **table_filters(versions)}
    own = SETTINGS.search(asked.statement)
    if asked.tables and not (own and MATERIALIZED in own[0]):
        settings = {MATERIALIZED: 1, **settings}
    listed = ",\n    ".join(f"{name} = {_setting(name, value)}" for name, value in settings.items())
    if not listed:
        return ""
    return f",\n    {listed}" if own else f"\nsettings\n    {listed}"


def _setting(name: str, value: Any) -> str:
    if name == FILTERS_SETTING:
        return str(value).replace(", '", ",\n        '")
    return format_str(value) if isinstance(value, str) else str(value)


def _escaped(match: re.Match[str]) -> str:
    if match[1]:
        return ESCAPED[match[1]]
    return "".join(f"\\x{byte:02x}" for byte in match[2].encode())
