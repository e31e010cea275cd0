"""Whatever is delivered, repeated, late or ahead, and whenever builds run, counts equal a recount."""

import itertools
import random
from datetime import UTC, datetime

import pytest

from errata.warehouse.roles import Role
from pipelines.builder.due import build_due
from tests.builders import Row, insert
from tests.mart_builds import FAST, let_bound_take_hold
from tests.processes import WarehouseProcess
from tests.warehouse_builds import assert_exact, some_events


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_counts_equal_a_recount_before_between_and_after_builds(
    warehouse: WarehouseProcess, seed: int
) -> None:
    ingest, builder, read = (warehouse.client(role) for role in (Role.INGEST, Role.BUILD, Role.READ))
    random_, now = random.Random(seed), datetime.now(UTC)
    delivered: list[Row] = []
    # Two of the five periods after each step, in turn.
    turns = itertools.cycle([slice(0, 2), slice(2, 4), slice(3, 5)])

    def deliver(rows: list[Row]) -> None:
        insert(ingest, "errata_raw.error_events", rows)
        delivered.extend(rows)
        assert_exact(read, delivered, now, next(turns))

    def build(*marts: str) -> None:
        list(build_due(builder, marts, FAST))
        assert_exact(read, delivered, now, next(turns))

    for step in range(3):
        fresh = some_events(random_, now, 60)
        deliver(fresh)
        deliver(random_.sample(fresh, 30))
        build("variant_hourly")
        deliver(random_.sample(delivered, 50))
        if step == 1:
            build("variant_daily")
            let_bound_take_hold(warehouse)
            deliver(random_.sample(delivered, 50))
    build("variant_hourly", "variant_daily")
    deliver(list(delivered))
    build("variant_hourly", "variant_daily")
    let_bound_take_hold(warehouse)
    assert_exact(read, delivered, now)
