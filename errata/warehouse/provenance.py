"""The provenance of a result: its statement, the tables it reads, and for marts model, version and age."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache

from errata.errors import ErrataError
from errata.warehouse import sql
from errata.warehouse.analysis import analysis_views
from errata.warehouse.client import Warehouse
from errata.warehouse.python_marts import maker_of
from errata.warehouse.queries.progress import Progress, progress_of
from errata.warehouse.sql import SqlFile
from errata.warehouse.statement import Statement


class QuestionNotFound(ErrataError):
    """No question has that name."""

    code = "question_not_found"

    def __init__(self, question: str) -> None:
        super().__init__("No query has that name.")
        self.question = question


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: str
    comment: str
    made_of: tuple[str, ...] = ()
    """For a mart, the columns its values come from, as `database.table.column`."""


@dataclass(frozen=True, slots=True)
class Source:
    """A table read directly or through views. `version` is the hash of the file that makes it."""

    table: str
    purpose: str
    grain: str
    key: str
    version: str
    inputs: tuple[str, ...]
    columns: tuple[Column, ...]
    model: str = ""
    """The statement that fills a mart; empty: rows as received."""
    built_through: datetime | None = None
    """The mart holds rows received before it; None: not a mart, or not built yet."""
    maker: str = ""
    """The function that makes a Python mart; `version` is then a hash of its modules, and `program` its
    text."""
    program: str = ""

    @property
    def is_mart(self) -> bool:
        return bool(self.model or self.maker)


@dataclass(frozen=True, slots=True)
class View:
    """A view for analysts, `database.name`."""

    name: str
    purpose: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """`definition`: the meaning of the numbers in plain sentences; empty: none is written."""

    question: str
    definition: str
    purpose: str
    parameters: str
    returns: str
    version: str
    statement: str
    sources: tuple[Source, ...] = field(default_factory=tuple)
    views: tuple[View, ...] = field(default_factory=tuple)


def provenance(warehouse: Warehouse, question: str, statements: Iterable[Statement] = ()) -> Provenance:
    """The provenance of a question's result. `statements`: the question as it was asked, whose tables count
    beside those that its file names. Raises QuestionNotFound."""
    file = _question(question)
    read = sorted(frozenset().union(*(statement.inputs for statement in statements)))
    tables = list(_tables(dict.fromkeys([*file.inputs, *read])))
    built = progress_of(warehouse, [_mart_of(table) for table, made in tables if _is_mart(made, table)])
    sources = tuple(_source(made, table, built) for table, made in tables)
    return Provenance(
        question=question,
        definition=file.header.get("definition", ""),
        purpose=file.header["purpose"],
        parameters=file.parameters,
        returns=file.header["returns"],
        version=version_of(file),
        statement=file.statements[0],
        sources=sources,
        views=tuple(_views_of({source.table for source in sources if source.is_mart})),
    )


@cache
def question_of(statement: Statement) -> str:
    """The question whose statement this is, whatever was put into the places of its file; empty: of none."""
    return statement.name if statement.name in sql.queries() else ""


def version_of(file: SqlFile) -> str:
    """A short hash of the file's statements; of a mart's model the beginning of the recorded one."""
    return file.content_hash[:12]


def _question(name: str) -> SqlFile:
    path = sql.queries().get(name)
    if path is None:
        raise QuestionNotFound(name)
    return sql.parse(path)


def _views_of(marts: Collection[str]) -> Iterator[View]:
    """Views for analysts that read one of these marts, also by another view."""
    found = set(marts)
    for file in analysis_views():
        if not found.isdisjoint(file.inputs):
            found.add(file.name)
            yield View(file.name, file.header["purpose"])


def _tables(inputs: Iterable[str]) -> Iterator[tuple[str, SqlFile]]:
    """Each table once, marts before their sources."""
    makers, views = _makers()
    found: dict[str, SqlFile] = {}
    waiting = list(inputs)
    while waiting:
        name = waiting.pop(0)
        if name in views:
            waiting.extend(views[name].inputs)
            continue
        if name in makers and name not in found:
            found[name] = makers[name]
            made = maker_of(name)
            waiting.extend(made.inputs if made else makers[name].inputs)
    yield from sorted(found.items(), key=lambda one: (not one[0].startswith("errata_mart."), one[0]))


@cache
def _makers() -> tuple[dict[str, SqlFile], dict[str, SqlFile]]:
    tables = {
        name.strip(): file
        for file in (*sql.migrations(), *sql.models())
        for name in file.name.split(",")
        if file.statements[0].startswith("create table")
    }
    return tables, {file.name: file for file in sql.views()}


def _is_mart(file: SqlFile, table: str) -> bool:
    return maker_of(table) is not None or (table.startswith("errata_mart.") and len(file.statements) == 2)


def _mart_of(table: str) -> str:
    """The name that builds of the table are recorded by."""
    made = maker_of(table)
    return made.name if made else table.partition(".")[2]


def _source(file: SqlFile, table: str, built: Mapping[str, Progress]) -> Source:
    made = maker_of(table)
    is_mart = _is_mart(file, table)
    return Source(
        table=table,
        purpose=file.header["purpose"],
        grain=file.header["grain"],
        key=file.header["key"],
        version=made.code_version if made else version_of(file),
        inputs=tuple(made.inputs) if made else file.inputs,
        columns=tuple(columns_of(file, table)),
        model="" if made or not is_mart else file.statements[1],
        built_through=built[_mart_of(table)].as_of if is_mart else None,
        maker=made.maker if made else "",
        program=made.source if made else "",
    )


def columns_of(file: SqlFile, table: str) -> Iterator[Column]:
    """Every column of the table that the file creates, with its comment and its origins."""
    # sqlglot takes 12 MB, which only processes that show columns should spend.
    from errata.warehouse.lineage import origins_of

    comments, origins = sql.comments_of(file, table), origins_of(table)
    for match in sql.declared(file, table):
        name = match["name"]
        yield Column(name, match["type"].rstrip(","), comments[name], tuple(origins.get(name, ())))
