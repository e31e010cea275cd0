"""Of events that were received more than once: which copy counts."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from uuid import UUID

from errata.warehouse import sql
from errata.warehouse.builds.records import aware
from errata.warehouse.client import Row, Warehouse

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Builds know of hours that long back in any case: they end with what raw rows are kept for.
KNOWN_FOR = timedelta(days=30)


def earliest_copies(
    warehouse: Warehouse, project_id: int, built_through: datetime, moments: Mapping[UUID, datetime]
) -> list[Row]:
    """`moments`: at which events occurred that were received since a build. At most 3,000 at once."""
    hours = {moment.replace(minute=0, second=0, microsecond=0) for moment in moments.values()}
    asked = {
        "project_id": project_id,
        "item_ids": [str(item_id) for item_id in moments],
        "moments": sorted(set(moments.values())),
        "received_from": received_from(warehouse, built_through, sorted(hours)),
    }
    return warehouse.rows(sql.query("earliest_copies"), asked)


def received_from(warehouse: Warehouse, built_through: datetime, hours: Sequence[datetime]) -> datetime:
    """Nothing that occurred in these hours was received before, whatever clocks said."""
    known = _first_arrivals(warehouse, built_through)
    unknown = [hour for hour in hours if hour not in known]
    if unknown:
        rows = warehouse.rows(sql.query("first_arrivals_of_hours"), {"hours": unknown})
        found = {aware(row["hour"]): aware(row["first_received_at"]) for row in rows}
        known.update((hour, _first_arrival(hour, found, built_through)) for hour in unknown)
    return min((known[hour] for hour in hours), default=built_through)


def _first_arrival(hour: datetime, found: Mapping[datetime, datetime], built_through: datetime) -> datetime:
    """Of an hour that no build has met nothing was received before it; builds meet none that is too old."""
    if hour < built_through - KNOWN_FOR:
        return EPOCH
    return min(found.get(hour, built_through), built_through)


# Of what was received before a build no more can come.
@lru_cache(maxsize=16)
def _first_arrivals(_warehouse: Warehouse, _built_through: datetime) -> dict[datetime, datetime]:
    return {}
