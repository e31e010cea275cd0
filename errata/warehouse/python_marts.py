"""The marts made by Python, because SQL cannot compute them: names of functions, tables, inputs and modules.

A Python mart is a table with a migration and without versions. Its function computes one project at a time
(pipelines/builder/by_project.py) and appends rows with their moment. Readers take the latest row of a pair of
similar issues, of a budget's window and of a release, and a project's latest build of change points. An
insert is one block, stored whole or not at all. So a kill leaves some projects (releases in groups, budgets
one by one) new, and the others as before; nothing needs repair.

The next run of similar_issues and change_points computes every project of the run again, because their
watermark moves last (`record_build`). Releases, budgets and proposals look for the rows they lack. Rows of
release_impact count once release_metrics, written after them, has a row of the same build; others are never
read. Many of them are deleted with the rows of replaced judgments (delete_superseded_releases.sql).

Names stand for functions here, so that a process that only lists marts loads no numpy.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import errata

ROOT = Path(errata.__file__).parent.parent


@dataclass(frozen=True)
class PythonMart:
    """Tables and the function that makes them; `aided_by`: modules with its statements and formulas."""

    name: str
    tables: tuple[str, ...]
    module: str
    function: str
    inputs: tuple[str, ...]
    aided_by: tuple[str, ...] = ()
    reads_budgets: bool = False
    """The function takes the budgets, which people keep in the state store."""

    @property
    def maker(self) -> str:
        return f"{self.module}.{self.function}"

    @property
    def code_version(self) -> str:
        """A hash of the modules that compute it; builds and mart rows have versions of their own."""
        return _hash_of((self.module, *self.aided_by))

    @property
    def source(self) -> str:
        """The text of the module."""
        return path_of(self.module).read_text()


SIMILAR_ISSUES = PythonMart(
    "similar_issues",
    ("errata_mart.similar_issues",),
    "pipelines.marts.similar_issues",
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
    "pipelines.marts.regrouping_proposals",
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
    ("errata.warehouse.queries.issues.regrouping", "errata.grouping.regrouping"),
)
RELEASES = PythonMart(
    "release_metrics",
    ("errata_mart.release_metrics", "errata_mart.release_impact"),
    "pipelines.marts.release_impact",
    "judge_releases",
    (
        "errata_mart.page_loads",
        "errata_mart.page_metrics_daily",
        "errata_mart.variant_daily",
        "errata_mart.issues",
        "errata_raw.sessions",
        "errata_raw.error_events",
        "errata_raw.issue_actions",
    ),
    (
        "pipelines.builder.by_project",
        "pipelines.marts.compared_loads",
        "pipelines.marts.daily_series",
        "pipelines.marts.due_releases",
        "pipelines.marts.release_errors",
        "pipelines.marts.release_figures",
        "errata.statistics.change_points",
        "errata.statistics.clustered_shares",
        "errata.statistics.comparison",
        "errata.statistics.discovery",
        "errata.statistics.drift",
        "errata.statistics.error_rates",
        "errata.statistics.hour_effects",
        "errata.statistics.impact",
        "errata.statistics.interim_analyses",
        "errata.statistics.level_models",
        "errata.statistics.matching",
        "errata.statistics.mix",
        "errata.statistics.proportion",
        "errata.statistics.stratified",
        "errata.statistics.time_levels",
        "errata.statistics.verdict",
        "errata.statistics.week_parts",
    ),
)
CHANGE_POINTS = PythonMart(
    "change_points",
    ("errata_mart.change_points",),
    "pipelines.marts.change_points",
    "find_change_points",
    ("errata_mart.page_metrics_daily", "errata_mart.release_metrics"),
    (
        "pipelines.builder.by_project",
        "pipelines.marts.daily_series",
        "errata.warehouse.queries.performance.release_starts",
        "errata.statistics.change_points",
        "errata.statistics.discovery",
        "errata.statistics.level_models",
    ),
)
BUDGET_STATUS = PythonMart(
    "budget_status",
    ("errata_mart.budget_status",),
    "pipelines.marts.budget_status",
    "judge_budgets",
    ("errata_mart.page_metrics_hourly", "errata_mart.endpoint_metrics_hourly"),
    (
        "errata.budgets.evaluation",
        "errata.budgets.state",
        "errata.warehouse.queries.performance.metric_over_time",
    ),
    reads_budgets=True,
)
# Sources come before their dependents. Proposals have no check: they follow from variants and rules alone,
# and a missing one is computed again.
CHECKED = (*SIMILAR_ISSUES.tables, *RELEASES.tables, *CHANGE_POINTS.tables, *BUDGET_STATUS.tables)
PYTHON_MARTS = (SIMILAR_ISSUES, REGROUPING_PROPOSALS, RELEASES, CHANGE_POINTS, BUDGET_STATUS)


def maker_of(table: str) -> PythonMart | None:
    """The Python mart with this table; None if SQL or nobody makes it."""
    return next((mart for mart in PYTHON_MARTS if table in mart.tables), None)


@cache
def _hash_of(modules: Sequence[str]) -> str:
    text = b"\0".join(path_of(module).read_bytes() for module in modules)
    return hashlib.blake2b(text, digest_size=16).hexdigest()[:12]


def path_of(module: str) -> Path:
    return ROOT.joinpath(*module.split(".")).with_suffix(".py")
