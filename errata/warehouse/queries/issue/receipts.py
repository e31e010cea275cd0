"""When raw rows were received, as far as is known: what was received before need not be looked at."""

from datetime import UTC, datetime, timedelta

from errata.clock import EPOCH, utc
from errata.warehouse import sql
from errata.warehouse.client import Warehouse

# Builds know of hours that long back in any case: they end with what raw rows are kept for.
KNOWN_FOR = timedelta(days=30)


def hour_of(moment: datetime) -> datetime:
    return moment.replace(minute=0, second=0, microsecond=0)


def received_since(warehouse: Warehouse, moment: datetime) -> datetime:
    """Nothing that occurred at this moment or later was received before, whatever clocks said."""
    if moment < datetime.now(UTC) - KNOWN_FOR:
        return EPOCH
    hour = hour_of(moment)
    # What is received after a build that is asked stays after it.
    return warehouse.cached((_first_arrival_since, hour), lambda: _first_arrival_since(warehouse, hour))


def _first_arrival_since(warehouse: Warehouse, hour: datetime) -> datetime:
    (row,) = warehouse.rows(sql.query("first_arrival_since"), {"hour": hour})
    met, built_through = utc(row["first_received_at"]), utc(row["built_through"])
    return min(met, built_through) if met > EPOCH else built_through
