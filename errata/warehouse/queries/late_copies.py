"""Since when copies can have come of what happened on some days."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from functools import lru_cache

from errata.warehouse import sql
from errata.warehouse.client import Warehouse


def first_arrivals(
    warehouse: Warehouse, mart: str, built_through: datetime, days: Sequence[date]
) -> dict[date, datetime]:
    """What happened on a day was not received before, whatever clocks said; if no build has met the day, not
    before the build."""
    known = _first_arrivals(warehouse, mart, built_through)
    unknown = [day for day in days if day not in known]
    if unknown:
        rows = warehouse.rows(sql.query("first_arrivals_of_days"), {"mart": mart, "days": unknown})
        found = {
            row["arrival_day"]: datetime.fromtimestamp(row["first_received_at"] / 1000, UTC) for row in rows
        }
        known.update({day: min(found.get(day, built_through), built_through) for day in unknown})
    return known


# Of what was received before a build no more can come.
@lru_cache(maxsize=16)
def _first_arrivals(_warehouse: Warehouse, _mart: str, _built_through: datetime) -> dict[date, datetime]:
    return {}
