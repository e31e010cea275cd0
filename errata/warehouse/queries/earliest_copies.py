"""Of events that were received more than once: which copy counts."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.receipts import hour_of, received_from


def earliest_copies(
    warehouse: Warehouse, project_id: int, built_through: datetime, moments: Mapping[UUID, datetime]
) -> list[Row]:
    """`moments`: at which events occurred that were received since a build. At most 3,000 at once."""
    hours = {hour_of(moment) for moment in moments.values()}
    asked = {
        "project_id": project_id,
        "item_ids": [str(item_id) for item_id in moments],
        "moments": sorted(set(moments.values())),
        "received_from": received_from(warehouse, built_through, sorted(hours)),
    }
    return warehouse.rows(sql.query("earliest_copies"), asked)
