"""Stores the result of the logs of mappings and decisions: the issue of each variant, the state of each
issue.

A writer of either log writes through afterwards: one statement reads the log, the new entry included, and
stores with each row the number of entries read. Logs only grow and each entry is written through after it, so
of several concurrent writers the row with the greatest version has read every entry.
"""

from collections.abc import Collection, Sequence

from errata.warehouse import sql
from errata.warehouse.client import Warehouse

# The limit of one statement; for more, the whole project costs less.
MOST_NAMED = 5_000
AMISS = {
    "errata_raw.variant_assignments": "assignments_amiss",
    "errata_raw.issue_states": "states_amiss",
}
"""By table, the question that compares it with the logs."""


def write_assignments(
    warehouse: Warehouse,
    projects: Collection[int],
    variants: Collection[int] = (),
    issue_ids: Collection[int] = (),
) -> None:
    """Stores the issues of these variants, and of variants ever mapped to, or deleted with, one of these
    issues."""
    if not variants and not issue_ids:
        return
    is_chosen = len(variants) + len(issue_ids) <= MOST_NAMED
    _write_assignments(warehouse, projects, is_chosen, variants, issue_ids)


def write_states(warehouse: Warehouse, project_id: int, issue_ids: Collection[int]) -> None:
    ordered = sorted(set(issue_ids))
    for first in range(0, len(ordered), MOST_NAMED):
        _write_states(warehouse, [project_id], ordered[first : first + MOST_NAMED])


def write_assignments_of_projects(warehouse: Warehouse, projects: Collection[int]) -> None:
    """Stores the issues of every variant of these projects; without projects: of all."""
    _write_assignments(warehouse, projects, False, (), ())


def amiss(warehouse: Warehouse, projects: Sequence[int] = ()) -> dict[int, int]:
    """The count of rows of each project that differ from the logs; projects without any are left out."""
    found: dict[int, int] = {}
    for question in AMISS.values():
        for row in warehouse.rows(sql.query(question), {"projects": list(projects)}):
            found[row["project_id"]] = found.get(row["project_id"], 0) + row["amiss_count"]
    return found


def put_right(warehouse: Warehouse, projects: Sequence[int] = ()) -> dict[int, int]:
    """Writes through log entries that an ended process left, and returns the projects it found amiss."""
    found = amiss(warehouse, projects)
    if found:
        write_assignments_of_projects(warehouse, list(found))
        _write_states(warehouse, list(found), ())
    return found


def _write_assignments(
    warehouse: Warehouse,
    projects: Collection[int],
    is_chosen: bool,
    variants: Collection[int],
    issue_ids: Collection[int],
) -> None:
    warehouse.execute(
        sql.query("write_assignments"),
        {
            "projects": sorted(projects),
            "is_chosen": is_chosen,
            "variants": sorted(variants) if is_chosen else [],
            "issues": sorted(issue_ids) if is_chosen else [],
        },
    )


def _write_states(warehouse: Warehouse, projects: Collection[int], issue_ids: Collection[int]) -> None:
    parameters = {"projects": sorted(projects), "issues": list(issue_ids)}
    warehouse.execute(sql.query("write_states"), parameters)
