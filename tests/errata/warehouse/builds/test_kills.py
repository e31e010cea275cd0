"""Builds that die, meet, pause or find a mistake: no number moves, nothing is left behind."""

import random
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from errata.warehouse.builds.attempt import OPEN_SWAPS, Attempt, heal
from errata.warehouse.builds.build import Build, build
from errata.warehouse.builds.due import build_due
from errata.warehouse.builds.lease import Lease, LeaseHeld, LeaseLost, Pace
from errata.warehouse.builds.marts import VARIANT_DAILY, VARIANT_HOURLY
from errata.warehouse.client import Warehouse
from errata.warehouse.migrations import migrate
from errata.warehouse.roles import Role
from tests.builders import Row, an_error_event, insert
from tests.processes import WarehouseProcess, start_warehouse
from tests.warehouse_builds import (
    BRISK,
    BUILD_TABLES,
    assert_exact,
    endless_builds,
    kill,
    some_events,
    wait_for_a_build,
)

ROWS = "select * except users_state from errata_mart.variant_hourly order by all"
NOW = datetime.now(UTC)


def some_delivered(ingest: Warehouse, random_: random.Random, count: int = 80) -> list[Row]:
    rows = some_events(random_, NOW, count)
    rows += random_.sample(rows, count // 4)
    insert(ingest, "errata_raw.error_events", rows)
    return rows


def assert_nothing_left(builder: Warehouse) -> None:
    assert builder.rows(BUILD_TABLES) == []
    assert builder.rows(OPEN_SWAPS) == []


def test_builds_killed_at_any_moment_lose_and_double_nothing(warehouse: WarehouseProcess) -> None:
    ingest, builder, read = (warehouse.client(role) for role in (Role.INGEST, Role.BUILD, Role.READ))
    random_, delivered = random.Random(4), list[Row]()
    for _ in range(4):
        delivered += some_delivered(ingest, random_)
        process = endless_builds(warehouse.url(Role.BUILD))
        wait_for_a_build(builder, random_)
        kill(process)
        assert_exact(read, delivered, NOW, slice(2, 3))
    list(build_due(builder, ["variant_hourly", "variant_daily"], BRISK))
    assert_exact(read, delivered, NOW)
    assert_nothing_left(builder)


def test_a_warehouse_killed_inside_a_build_heals_at_its_start(tmp_path: Path) -> None:
    running = start_warehouse(tmp_path)
    migrate(running.client(Role.ADMIN))
    random_, delivered = random.Random(5), list[Row]()
    for _ in range(2):
        ingest = running.client(Role.INGEST)
        delivered += some_delivered(ingest, random_)
        process = endless_builds(running.url(Role.BUILD))
        wait_for_a_build(running.client(Role.ADMIN), random_)
        running.process.kill()
        running.process.wait()
        kill(process)
        running = start_warehouse(tmp_path)
        heal(running.client(Role.ADMIN))
        assert_exact(running.client(Role.READ), delivered, NOW, slice(1, 4))
    builder = running.client(Role.BUILD)
    list(build_due(builder, ["variant_hourly", "variant_daily"], BRISK))
    assert_exact(running.client(Role.READ), delivered, NOW)
    assert_nothing_left(builder)
    running.stop()


def test_readers_see_the_same_numbers_all_through_two_builds_beside_each_other(
    warehouse: WarehouseProcess,
) -> None:
    delivered = some_delivered(warehouse.client(Role.INGEST), random.Random(6))
    failures = list[BaseException]()
    admin = warehouse.client(Role.ADMIN)

    def build_twice() -> None:
        try:
            builder = warehouse.client(Role.BUILD)
            for _ in range(3):
                # Everything is swapped in anew: no window counts as built.
                admin.execute("truncate table errata_ops.build_watermarks sync")
                list(build_due(builder, ["variant_hourly", "variant_daily"], BRISK))
        except BaseException as error:
            failures.append(error)
            raise

    builds = [threading.Thread(target=build_twice) for _ in range(2)]
    for thread in builds:
        thread.start()
    read, looks = warehouse.client(Role.READ), 0
    while any(thread.is_alive() for thread in builds):
        assert_exact(read, delivered, NOW, slice(looks % 5, looks % 5 + 1))
        looks += 1
    assert looks > 10
    assert failures == []
    assert_nothing_left(warehouse.client(Role.BUILD))


def test_a_build_taken_for_dead_touches_nothing(warehouse: WarehouseProcess) -> None:
    builder = warehouse.client(Role.BUILD)
    some_delivered(warehouse.client(Role.INGEST), random.Random(7))
    attempt = Attempt(builder, "variant_hourly")
    with Lease(builder, ["variant_hourly"], attempt.id, BRISK) as lease:
        slow = Build(builder, VARIANT_HOURLY, attempt, lease)
        windows = slow.windows(datetime(1970, 1, 1, tzinfo=UTC), datetime.now(UTC))
        partitions = slow.fill(windows, datetime.now(UTC))
        # Its beats stop, as those of a paused process do.
        lease.stop_beating()
        time.sleep(BRISK.lifetime.total_seconds() + 0.2)
        build(warehouse.client(Role.BUILD), VARIANT_HOURLY, BRISK)
        before = builder.rows(ROWS)
        with pytest.raises(LeaseLost):
            attempt.swap(partitions, lease)
    assert builder.rows(ROWS) == before
    assert not attempt.has_build_table()


def test_a_build_waits_for_another_and_gives_up_after_a_while(warehouse: WarehouseProcess) -> None:
    builder = warehouse.client(Role.BUILD)
    impatient = Pace(settle=BRISK.settle, wait=timedelta(seconds=1))
    with Lease(builder, ["variant_hourly"], "other", BRISK):
        for mart in (VARIANT_HOURLY, VARIANT_DAILY):
            with pytest.raises(LeaseHeld, match="variant_hourly"):
                build(builder, mart, impatient)
    assert build(builder, VARIANT_HOURLY, impatient).windows == []


def test_what_does_not_add_up_is_not_swapped_in(warehouse: WarehouseProcess) -> None:
    builder = warehouse.client(Role.BUILD)
    insert(warehouse.client(Role.INGEST), "errata_raw.error_events", [an_error_event()])
    attempt = Attempt(builder, "variant_hourly")
    with Lease(builder, ["variant_hourly"], attempt.id, BRISK) as lease:
        wrong = Build(builder, VARIANT_HOURLY, attempt, lease)
        until = datetime.now(UTC) + timedelta(seconds=1)
        windows = wrong.windows(datetime(1970, 1, 1, tzinfo=UTC), until)
        wrong.fill(windows, until)
        assert wrong.filling is not None
        wrong.filling.insert(windows)
        (failure,) = wrong.filling.failures.values()
        assert (failure.project_id, failure.message) == (7, "2 counted, 1 expected")
        assert builder.rows(f"select * from errata_mart.{attempt.build}") == []
    assert builder.rows("select * from errata_mart.variant_hourly") == []
    assert build(builder, VARIANT_HOURLY, BRISK).row_count == 1
    assert_nothing_left(builder)


def test_swaps_left_open_are_healed(warehouse: WarehouseProcess) -> None:
    """Two versions of a day beside each other: readers take the later one, and healing leaves that alone."""
    ingest, builder, read = (warehouse.client(role) for role in (Role.INGEST, Role.BUILD, Role.READ))
    delivered = some_delivered(ingest, random.Random(8))
    build(builder, VARIANT_HOURLY, BRISK)
    delivered += some_delivered(ingest, random.Random(9))
    attempt = Attempt(builder, "variant_hourly")
    with Lease(builder, ["variant_hourly"], attempt.id, BRISK) as lease:
        dying = Build(builder, VARIANT_HOURLY, attempt, lease)
        until = dying.records.now()
        windows = dying.windows(dying.records.watermark("variant_hourly"), until)
        partitions = dying.fill(windows, until)
        attempt.merge()
        attempt.mark(partitions, "open")
        copy = f"insert into errata_mart.variant_hourly select * from errata_mart.{attempt.build}"
        builder.execute(copy)
        # Lost between the two halves of a swap: its lease ends without a word.
    assert_exact(read, delivered, NOW)
    assert heal(warehouse.client(Role.ADMIN)) == ["variant_hourly"]
    assert_exact(read, delivered, NOW)
    versions = (
        "select count(distinct built_through) as n from errata_mart.variant_hourly group by toDate(hour)"
    )
    assert {row["n"] for row in builder.rows(versions)} == {1}
    build(builder, VARIANT_HOURLY, BRISK)
    assert_exact(read, delivered, NOW)
    assert_nothing_left(builder)


def test_a_day_in_which_nothing_is_left_is_emptied_also_where_its_swap_was_left_open(
    warehouse: WarehouseProcess,
) -> None:
    """The warehouse refuses to replace a partition by nothing; a start that heals must not fail of it."""
    builder = warehouse.client(Role.BUILD)
    insert(warehouse.client(Role.INGEST), "errata_raw.error_events", [an_error_event()])
    build(builder, VARIANT_HOURLY, BRISK)
    (partition,) = {
        f"{row['hour']:%Y%m%d}" for row in builder.rows("select hour from errata_mart.variant_hourly")
    }
    attempt = Attempt(builder, "variant_hourly")
    with Lease(builder, ["variant_hourly"], attempt.id, BRISK):
        attempt.run("create_build_table")
        attempt.mark([partition, "20250101"], "open")
    assert heal(warehouse.client(Role.ADMIN)) == ["variant_hourly"]
    assert builder.rows("select * from errata_mart.variant_hourly") == []
    attempt.drop()
    assert_nothing_left(builder)
