"""Of events that were received more than once: which copy counts."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.late_rows import COPY_ELSEWHERE
from errata.warehouse.queries.receipts import hour_of, received_from


def earliest_copies(
    warehouse: Warehouse,
    project_id: int,
    built_through: datetime,
    item_ids: Collection[UUID],
    moments: Collection[datetime],
    received_at: datetime,
) -> list[Row]:
    """Of events received since a build, the first at `received_at`; `moments`: at which they occurred.
    At most 3,000 at once."""
    hours = sorted({hour_of(moment) for moment in moments})
    asked = {
        "project_id": project_id,
        "item_ids": [str(item_id) for item_id in item_ids],
        "hours": hours,
        "received_from": received_from(warehouse, built_through, hours),
        "near_from": received_at - COPY_ELSEWHERE,
    }
    return warehouse.rows(sql.query("earliest_copies"), asked)
