"""SQL is in warehouse_sql: no module of the product holds a statement as text."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.cases import each

PRODUCT = ("errata", "api", "pipelines", "dashboards")
# Who may hold some, and why.
ALLOWED = {
    "errata/warehouse/roles.py": "grants: a list for each role",
    "errata/warehouse/row_policies.py": "grants: a loop over the names of tables",
    "errata/warehouse/users.py": "users, profiles, grants and policies: loops over their names",
    "errata/warehouse/configuration.py": "closed functions: a loop over their names",
    "errata/warehouse/replicas.py": "reads how tables are made, and makes them on replicas: loops over names",
    "errata/backup/warehouse.py": "stops merges and drops databases: loops over their names",
    "errata/warehouse/migrations.py": "drops tables and views: a loop over their names",
    "errata/warehouse/table_shape.py": "drops a table for comparison, named by a mart",
    "errata/warehouse/lineage.py": "how a migration of one table begins: read, not asked",
    "errata/warehouse/listener.py": "commands to the engine in this process, not questions",
    "errata/up/questions.py": "a statement that reads nothing, asked to see that the warehouse answers",
    "errata/state/database.py": "the relational state store: locks and the version of its schema",
    "errata/state/locks.py": "the relational state store: locks",
    "errata/state/migrations/versions/0005_create_grouping_configurations.py": "the state store: a migration",
    "errata/state/migrations/versions/0020_add_next_api_keys.py": "the state store: a migration",
    "errata/state/migrations/versions/0024_create_memberships.py": "the state store: a migration",
    "errata/state/migrations/versions/0023_add_address_to_activity_log.py": "the state store: a migration",
}
STATEMENT = re.compile(
    r"""\s*(
        select\s.+\sfrom\s | select\s+\w+\( | select\s+\d | with\s+\w+\s+as\s*\(
        | insert\s+into\s | delete\s+from\s | update\s+\S+\s+set\s | truncate\s+table\s
        | alter\s+table\s | optimize\s+table\s | rename\s+table\s | exchange\s+tables\s
        | kill\s+(query|mutation)\s | system\s+\w+\s+\w+ | (grant|revoke)\s.+\s(on|to|from)\s
        | drop\s+(table|view|database|function|user|role|row\s+policy)\s
        | create\s+(or\s+replace\s+)?(table|view|database|function|user|role|row\s+policy)\s.+(\(|\sas\s)
        | set\s+local\s
    )""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
READS_OURS = re.compile(r"\b(from|join|into)\s+(errata_\w+|system)\.\w", re.IGNORECASE)


def literals(code: str) -> Iterator[str]:
    """Texts in code, what is put into them as `{}`; documentation aside."""
    tree = ast.parse(code)
    aside = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            aside |= {id(part) for part in node.values}
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and id(node) not in aside:
            yield node.value.decode("latin-1") if isinstance(node.value, bytes) else str(node.value)


def statements(code: str) -> list[str]:
    return [text for text in literals(code) if STATEMENT.match(text) or READS_OURS.search(text)]


def test_statements_are_in_files() -> None:
    holding = {
        path.as_posix(): found
        for folder in PRODUCT
        for path in sorted(Path(folder).rglob("*.py"))
        if (found := statements(path.read_text()))
    }
    assert {path: found for path, found in holding.items() if path not in ALLOWED} == {}
    assert holding.keys() == ALLOWED.keys()


@each(
    "code",
    [
        "rows = ask('select count() from errata_raw.error_events')",
        'NOW = "SELECT now64(3) AS now"',
        'f"select {columns} from {table}"',
        'ask(f"alter table {table} delete where 1")',
        'X = """\n    insert into errata_ops.builds\n    select 1\n"""',
        'ask(b"select 1")',
        'CONDITION = "variant_hash in (select variant_hash from errata_raw.variants)"',
        'ask("with days as (select 1) " "select * from days")',
        'ask(f"create or replace view {name} as {select}")',
    ],
)
def test_a_statement_is_noticed(code: str) -> None:
    assert len(statements(code)) == 1


@each(
    "code",
    [
        '"""Select a project, then a period from the list."""',
        'def f():\n    """\n    select 1\n    """',
        'LABEL = "Create a project"',
        'HINT = "Select a period"',
        'text.startswith("create table ")',
        'NAME = "system-ui, sans-serif"',
        'SUMMARY = "Revoke an application key"',
        'QUESTION = "builds"',
    ],
)
def test_other_texts_are_no_statements(code: str) -> None:
    assert statements(code) == []
