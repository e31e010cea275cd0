"""What was deleted with its issue is left out of every answer; where nothing was, nobody pays for it."""

import re
from collections.abc import Sequence

from errata.warehouse import sql
from errata.warehouse.client import Warehouse

# Of each table and view what tells the same without what was deleted.
KEPT = {
    "errata_read.variant_counts": "errata_read.kept_counts",
    "errata_raw.error_events": "errata_read.kept_events",
    "errata_read.release_sightings": "errata_read.kept_sightings",
}
_READ = re.compile(rf"\b({'|'.join(KEPT)})\b")


def kept_statement(warehouse: Warehouse, projects: Sequence[int], statement: str) -> str:
    """The statement, or its second form where anything was deleted: exact too, and slower."""
    return without_deleted(statement) if has_deletions(warehouse, projects) else statement


def has_deletions(warehouse: Warehouse, projects: Sequence[int]) -> bool:
    """In force, in any of them."""
    (row,) = warehouse.rows(sql.query("deletions_of_projects"), {"projects": list(projects)})
    return bool(row["deletion_count"])


def without_deleted(statement: str) -> str:
    """Reads the views that leave out what was deleted."""
    return _READ.sub(lambda found: KEPT[found[1]], statement)
