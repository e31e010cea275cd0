"""The marts that functions make, where SQL ends: which function, of what, and which version of it.

Names, not functions: whoever only tells of them does without numpy.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import errata
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.disk import BUILDS_BOUND, Bound, require, space_of

PACKAGE = Path(errata.__file__).parent


@dataclass(frozen=True)
class PythonMart:
    """`module` has the function; `aided_by`: those whose statements and formulas it stands on."""

    name: str
    tables: tuple[str, ...]
    module: str
    function: str
    inputs: tuple[str, ...]
    aided_by: tuple[str, ...] = ()

    @property
    def maker(self) -> str:
        return f"{self.module}.{self.function}"

    @property
    def version(self) -> str:
        return _version((self.module, *self.aided_by))

    @property
    def source(self) -> str:
        """The text of the module."""
        return _path(self.module).read_text()

    def make(self, warehouse: Warehouse, bound: Bound = BUILDS_BOUND) -> str:
        """Brings it up to date; what was done, in words. Raises DiskFull where too little is free."""
        require(space_of(warehouse), bound)
        done = getattr(import_module(self.module), self.function)(warehouse)
        runs = list(done) if isinstance(done, Iterator) else [done]
        return f"{self.name}: {'; '.join(map(_words, runs)) or 'nothing was due'}"


def wrong_rows(warehouse: Warehouse, table: str) -> int:
    """Rows of a table that Python makes which cannot be, and rows that are missing, by its check."""
    path = sql.DIRECTORY / "checks" / f"{table.partition('.')[2]}_sound.sql"
    (statement,) = sql.parse(path).statements
    return int(warehouse.rows(statement)[0]["wrong_count"])


SIMILAR_ISSUES = PythonMart(
    "similar_issues",
    ("errata_mart.similar_issues",),
    "errata.warehouse.builds.similar_issues",
    "compare",
    (
        "errata_raw.variants",
        "errata_raw.variant_issues",
        "errata_raw.variant_assignments",
        "errata_raw.issue_actions",
        "errata_raw.grouping_switches",
    ),
    ("errata.grouping.similar", "errata.grouping.similarity"),
)
REGROUPING_PROPOSALS = PythonMart(
    "regrouping_proposals",
    ("errata_mart.regrouping_proposals",),
    "errata.warehouse.builds.regrouping_proposals",
    "propose",
    (
        "errata_raw.variants",
        "errata_raw.variant_issues",
        "errata_raw.variant_assignments",
        "errata_raw.issue_actions",
        "errata_raw.grouping_drafts",
        "errata_raw.grouping_switches",
        "errata_mart.variant_totals",
    ),
    ("errata.warehouse.queries.regrouping", "errata.grouping.regrouping"),
)
RELEASES = PythonMart(
    "release_metrics",
    ("errata_mart.release_metrics", "errata_mart.release_impact"),
    "errata.warehouse.builds.release_impact",
    "judge_releases",
    (
        "errata_mart.page_metrics_daily",
        "errata_mart.variant_daily",
        "errata_mart.issues",
        "errata_raw.page_views",
        "errata_raw.page_resources",
        "errata_raw.sessions",
        "errata_raw.issue_actions",
    ),
    (
        "errata.warehouse.builds.by_project",
        "errata.warehouse.builds.compared_loads",
        "errata.warehouse.builds.due_releases",
        "errata.warehouse.builds.release_figures",
        "errata.statistics.comparison",
        "errata.statistics.discovery",
        "errata.statistics.impact",
        "errata.statistics.looks",
        "errata.statistics.matching",
        "errata.statistics.proportion",
        "errata.statistics.stratified",
        "errata.statistics.verdict",
    ),
)
CHANGE_POINTS = PythonMart(
    "change_points",
    ("errata_mart.change_points",),
    "errata.warehouse.builds.change_points",
    "find_change_points",
    ("errata_mart.page_metrics_daily", "errata_mart.release_metrics"),
    (
        "errata.warehouse.builds.by_project",
        "errata.warehouse.queries.release_starts",
        "errata.statistics.change_points",
        "errata.statistics.rank_tests",
    ),
)
# A source stands before what is made of it.
# Proposals follow from variants and rules alone, and are asked for anew where one is missing.
CHECKED = (*SIMILAR_ISSUES.tables, *RELEASES.tables, *CHANGE_POINTS.tables)
MADE_BY_PYTHON = (SIMILAR_ISSUES, REGROUPING_PROPOSALS, RELEASES, CHANGE_POINTS)


def maker_of(table: str) -> PythonMart | None:
    """None: SQL makes it, or nobody."""
    return next((mart for mart in MADE_BY_PYTHON if table in mart.tables), None)


@cache
def _version(modules: Sequence[str]) -> str:
    text = b"\0".join(_path(module).read_bytes() for module in modules)
    return hashlib.blake2b(text, digest_size=16).hexdigest()[:12]


def _path(module: str) -> Path:
    return PACKAGE.joinpath(*module.split(".")[1:]).with_suffix(".py")


def _words(done: Any) -> str:
    """What a run tells of itself."""
    told = {field.name: getattr(done, field.name) for field in fields(done)}
    counts = [
        f"{value} {name.removesuffix('_count').replace('_', ' ')}"
        for name, value in told.items()
        if isinstance(value, int) and not isinstance(value, bool)
    ]
    through = [f"through {value:%Y-%m-%d %H:%M:%S}" for value in told.values() if isinstance(value, datetime)]
    return ", ".join([*counts, *through, f"{told['seconds']:.1f} s"])
