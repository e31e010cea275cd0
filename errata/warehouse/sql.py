"""Reads the files of warehouse_sql: a header of fixed words, then statements."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template

DIRECTORY = Path(__file__).resolve().parents[2] / "warehouse_sql"
HEADER_LINE = re.compile(r"--\s+(?:(?P<word>[a-z]+):\s*)?(?P<text>.*)")
END_OF_STATEMENT = re.compile(r";[ \t]*(?:\n|$)")


@dataclass(frozen=True)
class SqlFile:
    """`name` is the header's first line, `header` its words, `statements` the SQL in order."""

    path: Path
    name: str
    header: Mapping[str, str]
    statements: tuple[str, ...]

    @property
    def inputs(self) -> tuple[str, ...]:
        listed = self.header.get("inputs", "")
        return tuple(
            table.strip() for table in listed.split(",") if table.strip() and table.strip() != "none"
        )


def parse(path: Path) -> SqlFile:
    lines = path.read_text().splitlines(keepends=True)
    count = next((number for number, line in enumerate(lines) if not line.startswith("--")), len(lines))
    name, header, word = "", dict[str, str](), ""
    for line in lines[:count]:
        match = HEADER_LINE.match(line)
        if match is None:
            continue
        if match["word"]:
            word = match["word"]
            header[word] = match["text"].strip()
        elif not name:
            name = match["text"].strip()
        elif word:
            header[word] += " " + match["text"].strip()
    body = "".join(lines[count:])
    statements = tuple(part.strip() for part in END_OF_STATEMENT.split(body) if part.strip())
    return SqlFile(path, name, header, statements)


@cache
def query(name: str) -> str:
    """The one statement of warehouse_sql/queries/<name>.sql."""
    return _statement("queries", name)


@cache
def build_statement(name: str) -> str:
    """The one statement of warehouse_sql/builds/<name>.sql: what fills marts and keeps record of that."""
    return _statement("builds", name)


def _statement(folder: str, name: str) -> str:
    (statement,) = parse(DIRECTORY / folder / f"{name}.sql").statements
    return statement


@cache
def part(name: str) -> Template:
    """A part of statements, of warehouse_sql/parts/<name>.sql: what is put in are other parts."""
    (text,) = parse(DIRECTORY / "parts" / f"{name}.sql").statements
    return Template(text)


def migrations() -> list[SqlFile]:
    return [parse(path) for path in sorted((DIRECTORY / "migrations").glob("*.sql"))]


def models() -> list[SqlFile]:
    return [parse(path) for path in sorted((DIRECTORY / "models").glob("*.sql"))]


def views() -> list[SqlFile]:
    return [parse(path) for path in sorted((DIRECTORY / "views").glob("*.sql"))]


@cache
def column_lineage() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """By mart and column the columns it is made of, as `database.table.column`; read off the SQL."""
    lineage: Mapping[str, Mapping[str, Sequence[str]]] = json.loads(
        (DIRECTORY / "column_lineage.json").read_text()
    )
    return lineage


def analysis_views() -> list[SqlFile]:
    """What analysts read: plain columns, no parameters. Those that read another of them come last."""
    files = [parse(path) for path in sorted((DIRECTORY / "analysis").glob("*.sql"))]
    made = {file.name for file in files}
    return sorted(files, key=lambda file: not made.isdisjoint(file.inputs))
