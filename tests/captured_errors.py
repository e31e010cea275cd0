"""Real error events as rows of the warehouse, with their variants and issues, as the ingest makes them."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from api.ingest.event_rows import event_row
from api.ingest.item import Rows
from api.ingest.variants import Sighting, VariantRegistry
from errata.grouping import variant_of
from errata.warehouse.client import Warehouse
from tests.captures import an_item, payloads

RECEIVED_AT = datetime(2026, 11, 21, 3, 0, tzinfo=UTC)
FILES = ("python_errors", "javascript_errors", "browser_error_events")


def captured_errors(warehouse: Warehouse, project_id: int) -> Rows:
    """One row an event in `errata_raw.error_events`, and what records their variants."""
    registry, sightings, events = VariantRegistry(warehouse), dict[int, Sighting](), list[dict[str, Any]]()
    for payload in _payloads():
        variant = variant_of(payload)
        row = event_row(an_item("event", payload, project_id=project_id), variant, RECEIVED_AT)
        events.append(row)
        sightings.setdefault(variant.variant_hash, Sighting(variant, row))
    recorded, _ = registry.rows_of_new(sightings.values())
    return {**recorded, "errata_raw.error_events": events}


def _payloads() -> Iterator[dict[str, Any]]:
    for name in FILES:
        yield from payloads(name)
