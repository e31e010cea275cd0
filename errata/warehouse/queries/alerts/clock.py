"""Time as alerts tell it: that of receipt, in steps."""

from datetime import UTC, datetime, timedelta

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.client import Warehouse

TICK = timedelta(seconds=30)
TICK_MS = 30_000


def warehouse_now(warehouse: Warehouse) -> datetime:
    return utc(warehouse.rows(sql.query("warehouse_now"))[0]["now"])


def tick_of(moment: datetime) -> int:
    return int(moment.timestamp() * 1000) // TICK_MS


def moment_of(tick: int) -> datetime:
    return datetime.fromtimestamp(tick * TICK_MS / 1000, UTC)
