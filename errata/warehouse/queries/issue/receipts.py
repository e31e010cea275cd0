"""Bounds on the receipt of raw rows: earlier rows need not be read."""

from datetime import UTC, datetime, timedelta

from errata.clock import EPOCH, utc
from errata.warehouse import sql
from errata.warehouse.client import Warehouse

# Build records reach back this many hours at least: they expire with raw rows.
KNOWN_FOR = timedelta(days=30)


def hour_of(moment: datetime) -> datetime:
    return moment.replace(minute=0, second=0, microsecond=0)


def received_since(warehouse: Warehouse, moment: datetime) -> datetime:
    """The earliest receipt of rows that occurred at this moment or later, whatever the clients' clocks
    said."""
    if moment < datetime.now(UTC) - KNOWN_FOR:
        return EPOCH
    hour = hour_of(moment)
    # Rows received after the build queried here are later in any case.
    return warehouse.cached((_first_arrival_since, hour), lambda: _first_arrival_since(warehouse, hour))


def _first_arrival_since(warehouse: Warehouse, hour: datetime) -> datetime:
    (row,) = warehouse.rows(sql.query("first_arrival_since"), {"hour": hour})
    met, built_through = utc(row["first_received_at"]), utc(row["built_through"])
    return min(met, built_through) if met > EPOCH else built_through
