"""Runs of marts made by Python: one at a time, and none that was taken for dead is published."""

import time
from datetime import timedelta

import pytest

from errata.clock import EPOCH
from errata.warehouse.roles import Role
from pipelines.builder.build_log import last_build_of
from pipelines.builder.lease import Lease, LeaseHeld, LeaseLost, Pace
from pipelines.builder.python_run import python_run
from tests.processes import WarehouseProcess

MART = "change_points"
BRISK = Pace(lifetime=timedelta(seconds=6), settle=timedelta(milliseconds=400), wait=timedelta(seconds=2))
PATIENT = Pace(lifetime=BRISK.lifetime, settle=BRISK.settle)
AT_ONCE = timedelta(0)


@pytest.mark.slow
def test_a_run_waits_for_another_and_continues_at_its_watermark(warehouse: WarehouseProcess) -> None:
    builder = warehouse.client(Role.BUILD)
    with python_run(builder, MART, AT_ONCE, PATIENT) as first:
        assert (first.since, first.last_count) == (EPOCH, 0)
        with pytest.raises(LeaseHeld, match=MART), python_run(builder, MART, AT_ONCE, BRISK):
            pass
        first.publish(3, 5)
    with python_run(builder, MART, AT_ONCE, PATIENT) as second:
        assert (second.since, second.last_count) == (first.watermark, 3)
        assert second.watermark > first.watermark
    # What was not published is not covered.
    assert last_build_of(builder, MART) == (first.watermark, 3)
    builder.close()


@pytest.mark.slow
def test_a_run_that_was_taken_for_dead_is_not_published(warehouse: WarehouseProcess) -> None:
    builder = warehouse.client(Role.BUILD)
    with python_run(builder, MART, AT_ONCE, PATIENT) as slow:
        slow.lease.stop_beating()
        time.sleep(BRISK.lifetime.total_seconds() + 0.2)
        with Lease(builder, [MART], "other", PATIENT), pytest.raises(LeaseLost):
            slow.publish(1, 1)
    assert last_build_of(builder, MART) == (EPOCH, 0)
    builder.close()
