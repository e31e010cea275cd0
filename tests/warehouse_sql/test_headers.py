"""The header of a SQL file cannot lie: names, columns, keys and inputs are compared with the statements."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from string import Template
from typing import TypeVar

import sqlglot
from sqlglot import exp

from errata.warehouse import sql
from errata.warehouse.analysis import STATES, analysis_views, columns_of_mart
from errata.warehouse.lineage import outputs_of
from errata.warehouse.queries.counting import Source
from errata.warehouse.sql import SqlFile

Thing = TypeVar("Thing")
WORDS = {
    "migrations": ["purpose", "grain", "key", "engine", "order", "inputs"],
    "intermediate": ["purpose", "grain", "key", "engine", "inputs"],
    "marts": ["purpose", "grain", "key", "engine", "analysts", "inputs"],
    "views": ["purpose", "parameters", "returns", "inputs"],
    "analysis": ["purpose", "plain", "returns", "mart", "columns", "inputs"],
    "queries": ["purpose", "definition", "parameters", "names", "tables", "returns"],
    "parts": ["purpose", "parameters", "names", "returns"],
    "analysts": ["purpose", "parameters"],
    "checks": ["purpose", "parameters", "returns"],
    "builds": ["purpose", "parameters", "names"],
}
OPTIONAL = {
    *("definition", "plain", "mart", "columns", "analysts"),
    *("parameters", "names", "tables", "returns", "inputs"),
}
# What stands at a place in a test, by its name.
STANDING = {"table": "example.x", "mart": "example", "model": "select 1"}
# A moment has milliseconds: the engine's indexes skip the last second before a bound that has none.
MOMENT_BELOW_WHOLE_SECOND = re.compile(
    r"_at\s*[<>]\s*\{\w+:DateTime\(|\{\w+:DateTime\('UTC'\)\}\s*[<>]\s*\S*_at\b"
)
PARAMETER = re.compile(r"\{(\w+):")
DATABASES = ("errata_raw", "errata_mart", "errata_ops", "errata_read", "errata_analysis", "system", "example")


def files(folder: str) -> list[Path]:
    return sorted((sql.DIRECTORY / folder).rglob("*.sql"))


def place(path: Path) -> str:
    return str(path.relative_to(sql.DIRECTORY).with_suffix(""))


def every(*folders: str) -> Callable[[Callable[[Path], None]], Callable[[], None]]:
    """A rule for each file of these folders, as one test that names all files that break it."""
    return _for_each([path for folder in folders for path in files(folder)], place)


def _for_each(
    things: Sequence[Thing], name: Callable[[Thing], str]
) -> Callable[[Callable[[Thing], None]], Callable[[], None]]:
    def decorated(rule: Callable[[Thing], None]) -> Callable[[], None]:
        def test() -> None:
            broken = {}
            for thing in things:
                try:
                    rule(thing)
                except AssertionError as error:
                    broken[name(thing)] = str(error)
            assert things and broken == {}

        return test

    return decorated


every_view = _for_each(analysis_views(), lambda view: view.name)


def names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def tables_read(file: SqlFile) -> set[str]:
    """Tables and parametrized views in a FROM or JOIN, as `database.name`."""
    found = set()
    for statement in file.statements:
        text = Template(statement).safe_substitute(STANDING)
        # What they choose is read, not the table that they change.
        text = re.sub(r"\A(?:alter|optimize|kill) (?:(?!\nwhere\b).)*", "select 1", text, flags=re.DOTALL)
        text = text.removesuffix("\nsync")
        # Places for conditions.
        text = re.sub(r"\$\{\w+\}", "true", text)
        # Engine clauses and definers are ClickHouse's own; what is read stands after them.
        text = re.sub(r"\A.*?\bas\n", "", text, flags=re.DOTALL) if "create or replace view" in text else text
        tree = sqlglot.parse_one(text, read="clickhouse")
        filled = {made.this.find(exp.Table) for made in tree.find_all(exp.Create, exp.Insert)}
        for table in tree.find_all(exp.Table):
            name = f"{table.db}.{table.name}" if table.db else ""
            if table.name and table.db in DATABASES and not any(table is one for one in filled):
                found.add(name)
        found |= set(re.findall(r"(?:from|join)\s+(errata_read\.\w+)\(", text))
    return found


@every(*WORDS)
def test_a_header_has_its_words_in_their_order(path: Path) -> None:
    words = list(sql.parse(path).header)
    expected = [word for word in WORDS[place(path).split("/")[0]] if word in words or word not in OPTIONAL]
    assert words == expected


@every("migrations", *sql.MODEL_FOLDERS, "views", "analysis")
def test_a_header_names_what_the_file_makes(path: Path) -> None:
    file = sql.parse(path)
    made = [
        match[1]
        for statement in file.statements
        if (match := re.match(r"(?:create table|create or replace view|alter table)\s+(\S+)", statement))
    ]
    assert names(file.name) == made


@every("queries", "parts", "analysts", "checks", "builds")
def test_a_query_is_one_statement_named_as_its_file(path: Path) -> None:
    file = sql.parse(path)
    assert file.name == path.stem
    assert len(file.statements) == 1


@every(*sql.MODEL_FOLDERS, "views", "analysis", "queries", "checks", "builds")
def test_inputs_are_the_tables_read(path: Path) -> None:
    file = sql.parse(path)
    assert tables_read(file) == {Template(table).substitute(STANDING) for table in file.inputs}


@every("views", "queries", "parts", "checks", "builds")
def test_parameters_are_those_bound(path: Path) -> None:
    file = sql.parse(path)
    given = re.sub(r"\([^)]*\)|;.*", "", file.header.get("parameters", ""))
    bound = {name for statement in file.statements for name in PARAMETER.findall(statement)}
    assert "parameters" not in file.header or {name for name in names(given) if name} == bound


@every_view
def test_a_view_for_analysts_describes_columns_that_it_selects(view: SqlFile) -> None:
    (statement,) = view.statements
    listed = statement[statement.index("(\n") + 2 : statement.index("\n)\n")]
    columns = re.findall(r"^    (\w+) .+ comment '[^']", listed, flags=re.MULTILINE)
    assert len(columns) == listed.count("\n") + 1
    if view.name + STATES not in {other.name for other in analysis_views()}:
        assert set(columns) <= set(outputs_of(statement[statement.index("\nas\n") + 4 :]))
        assert set(names(view.header.get("columns", ""))) in ({""}, set(columns))


@every("analysis")
def test_a_view_for_analysts_declares_what_its_mart_does_not_say(path: Path) -> None:
    file = sql.parse(path)
    (statement,) = file.statements
    declared = statement[statement.index("(\n") + 2 : statement.index("\n)\n")].splitlines()
    known = columns_of_mart(file.header["mart"]) if "mart" in file.header else {}
    assert [line for line in declared if line.removesuffix(",") in known.values()] == []


def test_views_for_analysts_are_made_after_those_they_read() -> None:
    made = {file.name for file in analysis_views()}
    for number, file in enumerate(analysis_views()):
        before = {earlier.name for earlier in analysis_views()[:number]}
        assert made & set(file.inputs) <= before


@every(*sql.MODEL_FOLDERS)
def test_a_model_selects_the_columns_of_its_table_in_order(path: Path) -> None:
    create, select = sql.parse(path).statements
    body = create[create.index("(\n") + 2 : create.index("\n)\n")]
    columns = re.findall(r"^    (?!index )(\w+) (?!.* alias )", body, flags=re.MULTILINE)
    assert list(outputs_of(select)) == columns


@every("migrations", *sql.MODEL_FOLDERS)
def test_the_key_is_the_order_of_the_table(path: Path) -> None:
    file = sql.parse(path)
    tables = [statement for statement in file.statements if statement.startswith("create table")]
    orders = {re.search(r"order by \(?([^)\n]+)", statement)[1] for statement in tables}  # type: ignore[index]
    if len(tables) == 1:
        assert orders == {file.header["key"]}


@every(*WORDS)
def test_moments_are_compared_in_milliseconds(path: Path) -> None:
    assert not MOMENT_BELOW_WHOLE_SECOND.findall(path.read_text())


@every("builds", "parts")
def test_names_are_those_put_into_a_statement(path: Path) -> None:
    file = sql.parse(path)
    put_in = {name for statement in file.statements for name in re.findall(r"\$\{(\w+)\}", statement)}
    given = re.sub(r"\([^)]*\)", "", file.header.get("names", ""))
    assert "names" not in file.header or {name for name in names(given) if name} == put_in


def test_every_statement_of_builds_is_named_in_python() -> None:
    code = "".join(
        path.read_text() for folder in ("errata", "pipelines") for path in Path(folder).rglob("*.py")
    )
    assert [path.stem for path in files("builds") if f'"{path.stem}"' not in code] == []


def test_every_query_is_called_from_python_exactly_once() -> None:
    code = "".join(
        path.read_text() for folder in ("errata", "api", "pipelines") for path in Path(folder).rglob("*.py")
    )
    assert {path.stem: code.count(f'"{path.stem}"') for path in files("queries")} == {
        path.stem: 1 for path in files("queries")
    }


def test_a_query_has_a_name_of_its_own() -> None:
    assert len({path.stem for path in files("queries")}) == len(files("queries"))


def test_a_query_lies_in_the_folder_of_whoever_asks_it() -> None:
    modules = [
        path for folder in ("errata", "api", "pipelines") for path in sorted(Path(folder).rglob("*.py"))
    ]
    asked = {name: area(path) for path in modules for name in re.findall(r'"(\w+)"', path.read_text())}
    lying = {path.stem: str(path.parent.relative_to(sql.DIRECTORY / "queries")) for path in files("queries")}
    assert lying == {name: asked[name] for name in lying}


def area(module: Path) -> str:
    """ "." for what several areas share, and for what is asked about the warehouse itself."""
    if match := re.match(r"errata/warehouse/queries/(\w+)/", str(module)):
        return match[1]
    folders = {"pipelines": "builds", "api/ingest": "ingest"}
    return next((folders[one] for one in folders if module.is_relative_to(one)), ".")


def test_every_part_is_named_somewhere() -> None:
    code = "".join(path.read_text() for path in Path("errata").rglob("*.py"))
    code += "".join(
        re.sub(r"\$\{part:(\w+)\}", r'"\1"', path.read_text())
        for path in (*files("queries"), *files("marts"), *files("parts"))
    )
    # Those of a source of counts by its name.
    counts = {f"counts_in_{source}" for source in Source}
    assert [
        each.stem for each in files("parts") if f'"{each.stem}"' not in code and each.stem not in counts
    ] == []
