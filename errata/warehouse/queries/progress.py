"""How far a mart is."""

from dataclasses import dataclass
from datetime import UTC, datetime

from errata.warehouse import sql
from errata.warehouse.client import Warehouse

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Progress:
    """`complete_through` only skips raw rows: asked earlier, it is as safe. `as_of`: the last build."""

    complete_through: datetime = EPOCH
    as_of: datetime | None = None


def progress(warehouse: Warehouse, mart: str) -> Progress:
    for row in warehouse.rows(sql.query("mart_progress"), {"mart": mart}):
        return Progress(row["complete_through"].replace(tzinfo=UTC), row["as_of"].replace(tzinfo=UTC))
    return Progress()
