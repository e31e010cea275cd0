"""The marts made by Python, because SQL cannot compute them: names of functions, tables and modules.

A Python mart is a table with a migration and without versions: its function appends rows of one project at a
time (pipelines/builder/by_project.py), and readers take the latest row of a pair of similar issues, of a
budget's window and of a release, and a project's latest build of change points
(docs/decisions/published-versions.md says why). An insert is one block, stored whole or not at all. So a kill
leaves some projects (releases in groups, budgets one by one) new, and the others as before; nothing needs
repair.

The next run of similar_issues and change_points computes every project of the run again, because their
watermark moves last, when the run is published. Releases, budgets and proposals look for the rows they lack.
Rows of release_impact count once release_metrics, written after them, has a row of the same build; others are
never read. Many of them are deleted with the rows of replaced judgments (delete_superseded_releases.sql).

Names stand for functions here, so that a process that only lists marts loads no numpy.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import errata
from errata.warehouse import sql

ROOT = Path(errata.__file__).parent.parent
IMPORTED = re.compile(r"^\s*from ([\w.]+) import", re.M)
NAMED = re.compile(r'"(\w+)"')
# Packages whose modules compute or ask for what is computed with; others run the builds.
COMPUTING = (
    "pipelines.marts.",
    "errata.budgets.",
    "errata.grouping.",
    "errata.statistics.",
    "errata.warehouse.queries.issues.",
    "errata.warehouse.queries.performance.",
)


@dataclass(frozen=True)
class PythonMart:
    """Tables and the function that makes them."""

    name: str
    tables: tuple[str, ...]
    module: str
    function: str
    reads_budgets: bool = False
    """The function takes the budgets, which people keep in the state store."""

    @property
    def maker(self) -> str:
        return f"{self.module}.{self.function}"

    @property
    def modules(self) -> Sequence[str]:
        """The function's module, and those with its statements and formulas."""
        return _modules_of(self.module)

    @property
    def questions(self) -> Sequence[str]:
        """The questions that its modules ask."""
        named = {name for module in self.modules for name in NAMED.findall(path_of(module).read_text())}
        return sorted(named.intersection(sql.queries()))

    @property
    def inputs(self) -> Sequence[str]:
        """The tables that its questions read."""
        return _inputs_of(self)

    @property
    def code_version(self) -> str:
        """A hash of the modules that compute it; builds and mart rows have versions of their own."""
        text = b"\0".join(path_of(module).read_bytes() for module in self.modules)
        return hashlib.blake2b(text, digest_size=16).hexdigest()[:12]

    @property
    def source(self) -> str:
        """The text of the module."""
        return path_of(self.module).read_text()


SIMILAR_ISSUES = PythonMart(
    "similar_issues", ("errata_mart.similar_issues",), "pipelines.marts.similar_issues", "compare"
)
REGROUPING_PROPOSALS = PythonMart(
    "regrouping_proposals",
    ("errata_mart.regrouping_proposals",),
    "pipelines.marts.regrouping_proposals",
    "propose",
)
RELEASES = PythonMart(
    "release_metrics",
    ("errata_mart.release_metrics", "errata_mart.release_impact"),
    "pipelines.marts.release_impact",
    "judge_releases",
)
CHANGE_POINTS = PythonMart(
    "change_points", ("errata_mart.change_points",), "pipelines.marts.change_points", "find_change_points"
)
BUDGET_STATUS = PythonMart(
    "budget_status",
    ("errata_mart.budget_status",),
    "pipelines.marts.budget_status",
    "judge_budgets",
    reads_budgets=True,
)
# Sources come before their dependents.
PYTHON_MARTS = (SIMILAR_ISSUES, REGROUPING_PROPOSALS, RELEASES, CHANGE_POINTS, BUDGET_STATUS)


def checked_tables() -> list[str]:
    """Tables with a check. Proposals have none: they follow from variants and rules alone, and a missing one
    is computed again."""
    tables = (table for mart in PYTHON_MARTS for table in mart.tables)
    return [table for table in tables if check_of(table).exists()]


def check_of(table: str) -> Path:
    """The file that counts the table's wrong rows."""
    return sql.DIRECTORY / "checks" / f"{table.partition('.')[2]}_sound.sql"


def maker_of(table: str) -> PythonMart | None:
    """The Python mart with this table; None if SQL or nobody makes it."""
    return next((mart for mart in PYTHON_MARTS if table in mart.tables), None)


@cache
def _modules_of(module: str) -> Sequence[str]:
    found = [module]
    for one in found:
        imported = IMPORTED.findall(path_of(one).read_text())
        found += dict.fromkeys(
            name
            for name in imported
            if name.startswith(COMPUTING) and name not in found and path_of(name).exists()
        )
    return found


@cache
def _inputs_of(mart: PythonMart) -> Sequence[str]:
    files = (sql.parse(sql.queries()[name]) for name in mart.questions)
    read = sql.tables_behind(table for file in files for table in file.inputs)
    # What builds record says nothing about a value.
    return [table for table in read if not table.startswith("errata_ops.") and table not in mart.tables]


def path_of(module: str) -> Path:
    return ROOT.joinpath(*module.split(".")).with_suffix(".py")
