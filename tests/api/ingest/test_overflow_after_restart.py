"""Overflow variants of a rate limit are recorded once, however often ingest starts anew."""

from datetime import UTC, datetime
from typing import cast

from api.ingest.variants import Sighting, VariantRegistry
from api.rate_limit import RateLimit
from errata.errors import RateLimited
from errata.grouping import Variant, VariantShape
from errata.warehouse.client import Warehouse
from errata.warehouse.roles import Role
from tests.builders import an_error_event
from tests.processes import WarehouseProcess
from tests.warehouse_rows import insert_rows

VARIANT = Variant(1, VariantShape.from_json("{}"), "ValueError", "", "", "", 1)


class Exhausted:
    def take(self, subject: str, count: int = 1) -> None:
        raise RateLimited(60)


def record_event(ingest: Warehouse) -> int:
    """By a process that just started; returns how many variants it recorded."""
    registry = VariantRegistry(ingest, rate=cast(RateLimit, Exhausted()))
    registry.learn({(7, VARIANT.variant_hash)})
    variant = registry.admitted(7, VARIANT, datetime.now(UTC))
    row = {**an_error_event(), "item_id": str(an_error_event()["item_id"])}
    rows, keys = registry.rows_of_new([Sighting(variant, row)])
    for table, new in rows.items():
        insert_rows(ingest, table, new)
    registry.assign(keys)
    return len(keys)


def test_an_overflow_variant_is_recorded_once(warehouse: WarehouseProcess) -> None:
    ingest = warehouse.client(Role.INGEST)
    assert [record_event(ingest) for _ in range(3)] == [1, 0, 0]
