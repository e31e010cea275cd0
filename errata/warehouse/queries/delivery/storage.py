"""The warehouse's disk: used space, growth, and the day it will be full."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.disk import Bound, Space, space_of
from errata.warehouse.retention import RETENTION_DAYS

# Growth is measured over the last whole days; fewer say nothing about years.
MEASURED_DAYS = 7
MEASURED_DAYS_MIN = 3
LOOKED_AHEAD_DAYS = 3650
# Tables with a partition for each day of receipt.
RECEIVED = "errata_raw."

Days = Mapping[date, int]


@dataclass(frozen=True, slots=True)
class Storage:
    """`growth_bytes` a day, before retention frees any; None until three whole days have passed since the day
    of the first delivery. `full_on`: the first day with less free space than must stay free; None: not in ten
    years, or unknown."""

    space: Space
    bound_bytes: int
    is_lacking: bool
    growth_bytes: int | None
    full_on: date | None


def storage(warehouse: Warehouse, bound: Bound, today: date) -> Storage | None:
    """The storage; of several shards, that of the fullest. None if the warehouse does not report its disk."""
    of_shards = [_storage(shard, bound, today) for shard in warehouse.shards()]
    return min((each for each in of_shards if each is not None), key=_room, default=None)


def _room(of: Storage) -> int:
    return of.space.free_bytes - of.bound_bytes


def _storage(warehouse: Warehouse, bound: Bound, today: date) -> Storage | None:
    space = space_of(warehouse)
    if space is None:
        return None
    tables = stored_days(warehouse)
    growth = growth_of(tables, today)
    free = space.free_bytes - bound.bytes_of(space)
    return Storage(
        space=space,
        bound_bytes=bound.bytes_of(space),
        is_lacking=bound.is_passed(space),
        growth_bytes=None if growth is None else sum(growth.values()),
        full_on=full_on(free, tables, growth or {}, today),
    )


def stored_days(warehouse: Warehouse) -> dict[str, dict[date, int]]:
    """Bytes of each table by day of its partitions."""
    tables: dict[str, dict[date, int]] = {}
    for row in warehouse.rows(sql.query("stored_days")):
        tables.setdefault(row["table"], {})[row["day"]] = row["byte_count"]
    return tables


def growth_of(tables: Mapping[str, Days], today: date) -> dict[str, int] | None:
    """Bytes that each table grows by a day, over the last whole days; None while they are too few."""
    measured = _measured_days(tables, today)
    return {table: _growth(days, measured) for table, days in tables.items()} if measured else None


def full_on(free: float, tables: Mapping[str, Days], growth: Mapping[str, int], today: date) -> date | None:
    """The day the disk is full, if every day adds as much as now, and retention frees the bytes of each
    expired day."""
    if free <= 0:
        return today
    if not any(growth.values()):
        return None
    for ahead in range(1, LOOKED_AHEAD_DAYS):
        free -= sum(growth.values())
        for table, kept_days in RETENTION_DAYS.items():
            leaving = today + timedelta(days=ahead - kept_days - 1)
            coming = growth.get(table, 0)
            free += tables.get(table, {}).get(leaving, 0) if leaving < today else coming
        if free <= 0:
            return today + timedelta(days=ahead)
    return None


def _measured_days(tables: Mapping[str, Days], today: date) -> list[date]:
    """Whole days after the first delivery's, at most the last seven; none while they are too few. Marts have
    days of the data, which may be older than its delivery."""
    received = (day for table, days in tables.items() if table.startswith(RECEIVED) for day in days)
    first = min(received, default=today)
    week = [today - timedelta(days=ago) for ago in range(1, MEASURED_DAYS + 1)]
    measured = [day for day in week if day > first]
    return measured if len(measured) >= MEASURED_DAYS_MIN else []


def _growth(days: Days, measured: Sequence[date]) -> int:
    return sum(days.get(day, 0) for day in measured) // len(measured)
