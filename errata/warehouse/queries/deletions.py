"""Leaves deleted events out of questions that read events one by one.

The part `variant_counts` leaves them out itself. For events it takes several times as long, so only
questions about projects with deletions have this condition.
"""

from collections.abc import Sequence

from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.expressions import ALWAYS, Condition

IS_KEPT = sql.part("event_is_kept").expression(Condition)


def kept_events(warehouse: Warehouse, projects: Sequence[int]) -> Condition:
    """The condition on events of these projects that they are not deleted; `ALWAYS` if none is."""
    rows = warehouse.rows(sql.query("deletions_of_projects"), {"projects": list(projects)})
    return IS_KEPT if any(row["deletion_count"] for row in rows) else ALWAYS
