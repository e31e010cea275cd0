"""The views for analysts, from the files of warehouse_sql/analysis.

A file's statement declares the columns that are the view's own. Its header names all of them in order
(`columns`), and the table (`mart`) that the others have their types and words from. A mart without such a
file has a view of its own name, unless its model says `analysts: none`; marts whose rows are single page
loads or events have none.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from errata.warehouse import sql
from errata.warehouse.sql import SqlFile
from errata.warehouse.statement import Statement

STATES = "_states"
DATABASE = "errata_analysis"


@cache
def analysis_views() -> tuple[SqlFile, ...]:
    """Views without parameters, and with plain columns but in views of states. Each of these is followed by a
    view of the same rows without states, which many programs can't read."""
    files = [_whole(sql.parse(path)) for path in sorted((sql.DIRECTORY / "analysis").glob("*.sql"))]
    shown = {file.header.get("mart") for file in files}
    others = [_view_of(file) for file in sql.models() if _is_shown(file) and file.name not in shown]
    return tuple(
        view
        for file in (*files, *others)
        for view in (file, *([_without_states(file)] if file.name.endswith(STATES) else []))
    )


def _is_shown(file: SqlFile) -> bool:
    return file.path.parent.name == "marts" and not file.header.get("analysts", "").startswith("none")


def _view_of(model: SqlFile) -> SqlFile:
    """A view of all columns but the version."""
    mart = model.name.partition(".")[2]
    columns = {name: line for name, line in columns_of_mart(model.name).items() if name != "version"}
    has_states = any(_is_state(line) for line in columns.values())
    name = f"{DATABASE}.{mart}{STATES if has_states else ''}"
    made = sql.build_statement("view_of_mart").at(
        view=name,
        columns=",\n".join(columns.values()).strip(),
        selected=", ".join(columns),
        table=model.name,
        mart=mart,
    )
    inputs = ("errata_read.published_versions", model.name)
    statement = Statement(made, name, frozenset(inputs))
    header = {**model.header, "plain": model.header["purpose"]}
    return SqlFile(model.path, name, header, inputs, (statement,))


def _whole(file: SqlFile) -> SqlFile:
    if "columns" not in file.header:
        return file
    known = {**columns_of_mart(file.header["mart"]), **_declared(file)}
    columns = [known[name.strip()] for name in file.header["columns"].split(",")]
    (statement,) = file.statements
    start, end = _span(statement)
    text = statement[:start] + ",\n".join(columns) + statement[end:]
    return replace(file, statements=(Statement(text, statement.name, statement.inputs),))


def _span(statement: str) -> tuple[int, int]:
    """Where the columns are declared."""
    return statement.index("(\n") + 2, statement.index("\n)\n")


def _declared(file: SqlFile) -> dict[str, str]:
    """The lines of declared columns by name, without commas."""
    (statement,) = file.statements
    start, end = _span(statement)
    return {line.split()[0]: line.removesuffix(",") for line in statement[start:end].splitlines()}


@cache
def columns_of_mart(table: str) -> Mapping[str, str]:
    """Lines that declare a table's columns for a view."""
    (file,) = (one for one in (*sql.models(), *sql.migrations()) if sql.declared(one, table))
    comments = sql.comments_of(file, table)
    types = {match["name"]: match["type"].rstrip(",") for match in sql.declared(file, table)}
    return {
        name: "    {} {} comment '{}'".format(name, _plain(of_table), comments[name].replace("'", "''"))
        for name, of_table in types.items()
    }


def _plain(type_: str) -> str:
    """Few programs know how a table keeps texts that repeat."""
    is_low = type_.startswith("LowCardinality(")
    return type_.removeprefix("LowCardinality(").removesuffix(")") if is_low else type_


def _is_state(line: str) -> bool:
    return " AggregateFunction(" in line


def _without_states(file: SqlFile) -> SqlFile:
    """A view of its columns; the header's word `plain` is its purpose."""
    name = file.name.removesuffix(STATES)
    columns = {one: line for one, line in _declared(file).items() if not _is_state(line)}
    made = sql.build_statement("view_without_states").at(
        view=name,
        columns=",\n".join(columns.values()).strip(),
        selected=", ".join(columns),
        states=file.name,
    )
    header = {**file.header, "purpose": file.header["plain"]}
    return SqlFile(file.path, name, header, (file.name,), (made,))
