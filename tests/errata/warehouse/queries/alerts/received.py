"""Events by when they were received."""

from datetime import UTC, datetime, timedelta

from errata.warehouse.client import Warehouse
from errata.warehouse.queries.alerts.events import Events
from tests.builders import Row, an_error_event

BEGIN = (datetime.now(UTC) - timedelta(days=3)).replace(minute=0, second=0, microsecond=0)
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


def received(variant: int, minutes: float, **values: object) -> Row:
    at = BEGIN + minutes * MINUTE
    return an_error_event(**{"variant_hash": variant, "occurred_at": at, "received_at": at, **values})


def events_of(read: Warehouse, query: str = "") -> Events:
    return Events.of(read, 7, query, datetime.now(UTC))
