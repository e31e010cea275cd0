"""Reads the files of warehouse_sql: a header of fixed words, then statements.

The header of a table or view begins with its name, and names its inputs. A file of any other kind is called
by its own name, and reads what stands after its `from` and `join`.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from errata.performance.filters import FILTERS, OF_DAYS, Filter
from errata.warehouse.statement import PARAMETER, Statement

DIRECTORY = Path(__file__).resolve().parents[2] / "warehouse_sql"
HEADER_LINE = re.compile(r"--\s+(?:(?P<word>[a-z]+):\s*)?(?P<text>.*)")
PART_PLACE = re.compile(r"\$\{part:(?P<name>\w+)\}")
FILTER_PLACE = re.compile(r"^(?P<before> *and )\$\{(?P<place>filters|filters_of_days)\}", re.M)
MODEL_FOLDERS = ("intermediate", "marts")
VIEWS = "errata_read."
PLACES: Mapping[str, Sequence[Filter]] = {"filters": FILTERS, "filters_of_days": OF_DAYS}
COLUMN = re.compile(
    r"^    (?P<name>\w+) (?P<type>.+?)(?: default .+?)?(?: alias .+?)?"
    r"(?: comment '(?P<comment>(?:[^']|'')*)')?(?: codec\(.+\))?,?$",
    re.M,
)
ADDED = re.compile(r"^    add column (?:if not exists )?(?P<line>.+?)(?: after (?P<after>\w+))?,?$", re.M)
DROPPED = re.compile(r"^    drop column (?P<name>\w+),?$", re.M)
COMMENTED = re.compile(r"\bcomment column (?P<name>\w+) '(?P<comment>(?:[^']|'')*)'")
COMMENTS = re.compile(r"^ *--.*\n| comment '(?:[^']|'')*'", re.M)
READ = re.compile(r"\b(?:from|join)\s+((?:errata_\w+|system)\.[\w${}]+|\$\{table\})", re.I)
COMMENT = re.compile(r"^ *--.*\n", re.M)
END_OF_STATEMENT = re.compile(r";[ \t]*(?:\n|$)")


@dataclass(frozen=True)
class SqlFile:
    """`name` is that of the table or view it makes, else of the file; `header` are the header's words,
    `inputs` the tables and views it reads, `statements` the SQL in order."""

    path: Path
    name: str
    header: Mapping[str, str]
    inputs: tuple[str, ...]
    statements: tuple[Statement, ...]

    @property
    def parameters(self) -> str:
        """What is bound, as the header tells it, else the names in the order of the statement."""
        bound = (match[1] for statement in self.statements for match in PARAMETER.finditer(statement))
        return self.header.get("parameters") or ", ".join(dict.fromkeys(bound))

    @property
    def content_hash(self) -> str:
        """Blake2b-128 of the statements without comments, so that better words rebuild no mart."""
        text = ";\n".join(COMMENTS.sub("", statement) for statement in self.statements)
        return _hash(text)


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def parse(path: Path) -> SqlFile:
    lines = _filled(path.read_text()).splitlines(keepends=True)
    count = next((number for number, line in enumerate(lines) if not line.startswith("--")), len(lines))
    name, header, word = path.stem, dict[str, str](), ""
    for number, line in enumerate(lines[:count]):
        match = HEADER_LINE.match(line)
        if match is None:
            continue
        if match["word"]:
            word = match["word"]
            header[word] = match["text"].strip()
        elif number == 0:
            name = match["text"].strip()
        elif word:
            header[word] += " " + match["text"].strip()
    body = "".join(lines[count:])
    texts = (text.strip() for text in END_OF_STATEMENT.split(body) if text.strip())
    inputs = _listed(header["inputs"]) if "inputs" in header else _read(body)
    statements = tuple(Statement(text, path.stem, frozenset(inputs)) for text in texts)
    return SqlFile(path, name, header, inputs, statements)


def _listed(inputs: str) -> tuple[str, ...]:
    tables = (table.strip() for table in inputs.split(","))
    return tuple(table for table in tables if table not in ("", "none"))


def _read(body: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(READ.findall(COMMENT.sub("", body))))


def _filled(text: str) -> str:
    """The text with parts and the conditions of filters in their places, and the filters' parameters in the
    header."""
    text = PART_PLACE.sub(lambda place: part(place["name"]), text)
    text = FILTER_PLACE.sub(_conditions, text)
    for place, filters in PLACES.items():
        text = text.replace(f"${{{place}}}", ", ".join(one.name for one in filters))
    return text


def _conditions(place: re.Match[str]) -> str:
    condition = part("filter_is")
    return "\n".join(place["before"] + condition.at(name=one.name) for one in PLACES[place["place"]])


@cache
def queries() -> Mapping[str, Path]:
    """The files of questions by name, whatever their folder."""
    return {path.stem: path for path in sorted((DIRECTORY / "queries").rglob("*.sql"))}


@cache
def query(name: str) -> Statement:
    """The one statement of the question <name>.sql, in any folder of warehouse_sql/queries."""
    return _statement(queries()[name])


@cache
def for_analysts(name: str) -> Statement | None:
    """The figures of the question <name>.sql, asked of the views for analysts: the statement of
    warehouse_sql/analysts/<name>.sql, or None."""
    path = DIRECTORY / "analysts" / f"{name}.sql"
    return _statement(path) if path.exists() else None


@cache
def build_statement(name: str) -> Statement:
    """The one statement of warehouse_sql/builds/<name>.sql, for builds and their records."""
    return _statement(DIRECTORY / "builds" / f"{name}.sql")


def check(name: str) -> Statement:
    """The recount of a mart, or a rule for its rows: the one statement of warehouse_sql/checks/<name>.sql."""
    return _statement(DIRECTORY / "checks" / f"{name}.sql")


def _statement(path: Path) -> Statement:
    (statement,) = parse(path).statements
    return statement


@cache
def part(name: str) -> Statement:
    """A part of statements, from warehouse_sql/parts/<name>.sql, filled with other parts."""
    return _statement(DIRECTORY / "parts" / f"{name}.sql")


def migrations() -> list[SqlFile]:
    return [parse(path) for path in sorted((DIRECTORY / "migrations").glob("*.sql"))]


def models() -> list[SqlFile]:
    """The models of all marts, sorted by name."""
    paths = (path for folder in MODEL_FOLDERS for path in (DIRECTORY / folder).glob("*.sql"))
    return [parse(path) for path in sorted(paths, key=lambda path: path.stem)]


def model(mart: str) -> SqlFile:
    """The model of the mart <mart>, from warehouse_sql/intermediate or warehouse_sql/marts."""
    paths = (DIRECTORY / folder / f"{mart}.sql" for folder in MODEL_FOLDERS)
    return parse(next(path for path in paths if path.exists()))


@cache
def model_hash(mart: str) -> str:
    """A hash of the model of the mart <mart> and of the models it is built from: if one of them changes, its
    rows are built anew."""
    file = model(mart)
    known = {one.name: one.path.stem for one in models() if one.name != file.name}
    sources = [model_hash(known[table]) for table in sorted(set(file.inputs).intersection(known))]
    return _hash("\n".join([file.content_hash, *sources])) if sources else file.content_hash


def tables_behind(inputs: Iterable[str]) -> list[str]:
    """Tables that these tables and views are, or read."""
    found, waiting = set[str](), list(inputs)
    while waiting:
        name = waiting.pop()
        path = DIRECTORY / "views" / f"{name.partition('.')[2]}.sql"
        if name.startswith(VIEWS) and path.exists():
            waiting.extend(parse(path).inputs)
        else:
            found.add(name)
    return sorted(found)


def views() -> list[SqlFile]:
    return [parse(path) for path in sorted((DIRECTORY / "views").glob("*.sql"))]


def comments_of(file: SqlFile, table: str) -> Mapping[str, str]:
    """By column of the table that the file creates, the comment; empty where there is none."""
    later = _later_comments()
    comments = {
        match["name"]: later.get((table, match["name"]), match["comment"] or "")
        for match in declared(file, table)
    }
    return {name: comment.replace("''", "'") for name, comment in comments.items()}


@cache
def _later_comments() -> Mapping[tuple[str, str], str]:
    """Comments by table and column, from migrations after the one that created the table."""
    return {
        (statement.split()[2], match["name"]): match["comment"]
        for file in migrations()
        for statement in file.statements
        for match in COMMENTED.finditer(statement)
    }


def declared(file: SqlFile, table: str) -> list[re.Match[str]]:
    """Name, type and comment of each column of the table that the file creates, after later migrations, in
    order."""
    made = [statement for statement in file.statements if statement.startswith(f"create table {table}\n")]
    columns = [
        match
        for statement in made
        for match in COLUMN.finditer(statement[statement.index("(\n") + 2 : statement.index("\n)\n")])
        if match["name"] != "index"
    ]
    for statement in _alterations(table) if made else ():
        gone = {match["name"] for match in DROPPED.finditer(statement)}
        columns = [column for column in columns if column["name"] not in gone]
        for added in ADDED.finditer(statement):
            # A type of several lines is told by no line alone.
            if match := COLUMN.match(f"    {added['line']}") if _is_whole(added["line"]) else None:
                names = [column["name"] for column in columns]
                place = names.index(added["after"]) + 1 if added["after"] else len(columns)
                columns.insert(place, match)
    return columns


@cache
def _alterations(table: str) -> list[str]:
    return [
        statement
        for file in migrations()
        for statement in file.statements
        if statement.split(maxsplit=3)[:3] == ["alter", "table", table]
    ]


def _is_whole(line: str) -> bool:
    return line.count("(") == line.count(")")
