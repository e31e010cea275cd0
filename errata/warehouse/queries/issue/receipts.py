"""When raw rows were received, as far as is known: what was received before need not be looked at."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any
from uuid import UUID

from errata.clock import EPOCH, utc
from errata.warehouse import sql
from errata.warehouse.client import Warehouse

# Builds know of hours that long back in any case: they end with what raw rows are kept for.
KNOWN_FOR = timedelta(days=30)
# An insert is stamped when it begins, takes 20 s at most, and may be of a node whose clock is behind.
STILL_COMING = timedelta(seconds=30)
MOST_SHOWN = 1_000


def keep_last(known: dict[Any, Any], most: int) -> None:
    """Forgets what was put in first."""
    for key in list(known)[: max(0, len(known) - most)]:
        known.pop(key, None)


def hour_of(moment: datetime) -> datetime:
    return moment.replace(minute=0, second=0, microsecond=0)


def received_since(warehouse: Warehouse, moment: datetime) -> datetime:
    """Nothing that occurred at this moment or later was received before, whatever clocks said."""
    if moment < datetime.now(UTC) - KNOWN_FOR:
        return EPOCH
    return _first_arrival_since(warehouse, hour_of(moment))


# What is received after a build that is asked stays after it.
@lru_cache(maxsize=256)
def _first_arrival_since(warehouse: Warehouse, hour: datetime) -> datetime:
    (row,) = warehouse.rows(sql.query("first_arrival_since"), {"hour": hour})
    met, built_through = utc(row["first_received_at"]), utc(row["built_through"])
    return min(met, built_through) if met > EPOCH else built_through


def remember_receipts(warehouse: Warehouse, issue_id: int, receipts: Mapping[UUID, datetime]) -> None:
    """Of events that an issue's page shows: whoever opens one of them asks for it by its id alone."""
    known = _shown(warehouse, issue_id)
    known.update(receipts)
    keep_last(known, MOST_SHOWN)


def receipt_of(warehouse: Warehouse, issue_id: int, event_id: UUID) -> datetime:
    """No copy of the issue's event was received before; of one that no page has shown nothing is known."""
    known = _shown(warehouse, issue_id).get(event_id)
    # Another copy may be stamped earlier and be there later.
    return known - STILL_COMING if known else EPOCH


@lru_cache(maxsize=256)
def _shown(_warehouse: Warehouse, _issue_id: int) -> dict[UUID, datetime]:
    return {}
