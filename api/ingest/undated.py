"""Events without a believable time: every copy takes the moment of the first, so that it counts once."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from api.ingest.item import Item
from api.ingest.moment import is_ahead, moment
from api.ingest.values import warehouse_time
from errata.warehouse.client import Warehouse
from errata.warehouse.sql import query


def is_undated(item: Item, received_at: datetime) -> bool:
    """True if the moment of an item is its receipt."""
    if item.logged_at is not None:
        return False
    own = moment(item.payload.get("timestamp"))
    return own is None or is_ahead(own, received_at)


def date_by_first_copies(warehouse: Warehouse, rows: Sequence[dict[str, Any]]) -> None:
    """Replaces the moment of receipt in the rows by that of a copy stored before, if there is one."""
    if not rows:
        return
    found = warehouse.rows(
        query("first_copies"),
        {
            "projects": sorted({row["project_id"] for row in rows}),
            "item_ids": sorted({row["item_id"] for row in rows}),
        },
    )
    first = {(row["project_id"], str(row["item_id"])): row["occurred_at"] for row in found}
    for row in rows:
        moment_of_first = first.get((row["project_id"], row["item_id"]))
        if moment_of_first is not None:
            row["occurred_at"] = warehouse_time(moment_of_first.replace(tzinfo=UTC))
