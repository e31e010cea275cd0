"""Leaves deleted events out of questions that read events one by one.

`errata_read.variant_counts` leaves them out itself. For events there is a view, which costs several times as
much as the table, so only questions about projects with deletions read it.
"""

from collections.abc import Sequence

from errata.warehouse import sql
from errata.warehouse.client import Warehouse

ALL_EVENTS, KEPT_EVENTS = "errata_raw.error_events", "errata_read.kept_events"


def kept_statement(warehouse: Warehouse, projects: Sequence[int], statement: str) -> str:
    """The statement, or its variant for projects with a deletion in force: exact too, and slower."""
    (row,) = warehouse.rows(sql.query("deletions_of_projects"), {"projects": list(projects)})
    return without_deleted(statement) if row["deletion_count"] else statement


def without_deleted(statement: str) -> str:
    """The statement about the same events without deleted ones."""
    return statement.replace(ALL_EVENTS, KEPT_EVENTS)
