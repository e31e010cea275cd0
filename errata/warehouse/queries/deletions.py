"""Leaves deleted events out of every result; projects without deletions pay nothing for it."""

import re
from collections.abc import Sequence

from errata.warehouse import sql
from errata.warehouse.client import Warehouse

# For each table and view, the view of the same rows without deleted ones.
KEPT = {
    "errata_read.variant_counts": "errata_read.kept_counts",
    "errata_raw.error_events": "errata_read.kept_events",
    "errata_read.release_sightings": "errata_read.kept_sightings",
}
_READ = re.compile(rf"\b({'|'.join(KEPT)})\b")


def kept_statement(warehouse: Warehouse, projects: Sequence[int], statement: str) -> str:
    """The statement, or its variant for projects with deletions: exact too, and slower."""
    return without_deleted(statement) if has_deletions(warehouse, projects) else statement


def has_deletions(warehouse: Warehouse, projects: Sequence[int]) -> bool:
    """True if any of the projects has a deletion in force."""
    (row,) = warehouse.rows(sql.query("deletions_of_projects"), {"projects": list(projects)})
    return bool(row["deletion_count"])


def without_deleted(statement: str) -> str:
    """The statement with tables replaced by views that leave out deleted rows."""
    return _READ.sub(lambda found: KEPT[found[1]], statement)
