"""Builds that die, meet, pause or find a mistake: no number moves, nothing is left behind."""

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.migrations import migrate
from errata.warehouse.published import one_snapshot
from errata.warehouse.roles import Role
from pipelines.builder.attempt import Attempt
from pipelines.builder.build import Build, build
from pipelines.builder.due import build_due
from pipelines.builder.lease import Lease, LeaseHeld, LeaseLost, Pace
from pipelines.builder.mart import BuildReport
from pipelines.marts.registry import VARIANT_DAILY, VARIANT_HOURLY
from tests.builders import Row, an_error_event, insert
from tests.processes import WarehouseProcess, start_warehouse
from tests.warehouse_builds import (
    BRISK,
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


def versions_of(admin: Warehouse, mart: str) -> set[int]:
    """Those that there are rows of, published or not."""
    every = {"additional_table_filters": "{}"}
    rows = admin.rows(f"select distinct version from errata_mart.{mart}", settings=every)
    return {row["version"] for row in rows}


def published(builder: Warehouse, mart: str) -> set[int]:
    rows = builder.rows(sql.query("published_versions"), {"marts": [mart]})
    return {version for row in rows for version in row["versions"]}


def assert_nothing_left(admin: Warehouse) -> None:
    """Of what was not published, nor, ten minutes later, of what was replaced."""
    admin.execute(
        "alter table errata_ops.builds update finished_at = finished_at - interval 11 minute where true "
        "settings mutations_sync = 1"
    )
    for mart in (VARIANT_HOURLY, VARIANT_DAILY):
        build(admin, mart, BRISK)
        build(admin, mart, BRISK)
        assert versions_of(admin, mart.name) == published(admin, mart.name)


@pytest.mark.slow
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
    assert_nothing_left(warehouse.client(Role.ADMIN))


@pytest.mark.slow
def test_a_warehouse_killed_inside_a_build_counts_as_before(tmp_path: Path) -> None:
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
        assert_exact(running.client(Role.READ), delivered, NOW, slice(1, 4))
    builder = running.client(Role.BUILD)
    list(build_due(builder, ["variant_hourly", "variant_daily"], BRISK))
    assert_exact(running.client(Role.READ), delivered, NOW)
    assert_nothing_left(running.client(Role.ADMIN))
    running.stop()


@pytest.mark.slow
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
                # Everything is built anew: no row counts as taken.
                admin.execute(
                    "alter table errata_ops.builds update watermark = toDateTime64(0, 3, 'UTC') where true "
                    "settings mutations_sync = 1"
                )
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
    assert_nothing_left(warehouse.client(Role.ADMIN))


@pytest.mark.slow
@pytest.mark.parametrize("another", ["has been published", "has the lease"])
def test_a_build_that_was_paused_and_taken_for_dead_publishes_nothing(
    warehouse: WarehouseProcess, another: str
) -> None:
    builder, admin = warehouse.client(Role.BUILD), warehouse.client(Role.ADMIN)
    some_delivered(warehouse.client(Role.INGEST), random.Random(7))
    attempt = Attempt(builder, VARIANT_HOURLY)
    with Lease(builder, ["variant_hourly"], attempt.id, BRISK) as lease:
        slow = Build(builder, VARIANT_HOURLY, attempt, lease)
        windows = slow.windows(datetime(1970, 1, 1, tzinfo=UTC), datetime.now(UTC))
        days = slow.fill(windows, datetime.now(UTC))
        # Its beats stop, as those of a paused process do.
        lease.stop_beating()
        time.sleep(BRISK.lifetime.total_seconds() + 0.2)
        if another == "has been published":
            build(warehouse.client(Role.BUILD), VARIANT_HOURLY, BRISK)
        else:
            next_one = Attempt(builder, VARIANT_HOURLY)
            with Lease(builder, ["variant_hourly"], next_one.id, BRISK):
                next_one.clear_remains()
                assert versions_of(admin, "variant_hourly") == set()
        before = builder.rows(ROWS)
        report = BuildReport("variant_hourly", NOW, [], 0, 0, 0.0)
        with pytest.raises(LeaseLost):
            slow.build_log.publish(report, slow.build_log.table_uuid(), days)
        with pytest.raises(LeaseLost):
            lease.check()
    assert builder.rows(ROWS) == before


@pytest.mark.slow
def test_a_build_waits_for_another_and_gives_up_after_a_while(warehouse: WarehouseProcess) -> None:
    builder = warehouse.client(Role.BUILD)
    impatient = Pace(settle=BRISK.settle, wait=timedelta(seconds=1))
    with Lease(builder, ["variant_hourly"], "other", BRISK):
        for mart in (VARIANT_HOURLY, VARIANT_DAILY):
            with pytest.raises(LeaseHeld, match="variant_hourly"):
                build(builder, mart, impatient)
    assert build(builder, VARIANT_HOURLY, impatient).windows == []


def test_what_does_not_add_up_is_not_published(warehouse: WarehouseProcess) -> None:
    builder = warehouse.client(Role.BUILD)
    insert(warehouse.client(Role.INGEST), "errata_raw.error_events", [an_error_event()])
    attempt = Attempt(builder, VARIANT_HOURLY)
    with Lease(builder, ["variant_hourly"], attempt.id, BRISK) as lease:
        wrong = Build(builder, VARIANT_HOURLY, attempt, lease)
        until = datetime.now(UTC) + timedelta(seconds=1)
        windows = wrong.windows(datetime(1970, 1, 1, tzinfo=UTC), until)
        wrong.fill(windows, until)
        assert wrong.filling is not None
        wrong.filling.insert(windows)
        (failure,) = wrong.filling.failures.values()
        assert (failure.project_id, failure.message) == (7, "2 counted, 1 expected")
        assert versions_of(warehouse.client(Role.ADMIN), "variant_hourly") == set()
    assert builder.rows("select * from errata_mart.variant_hourly") == []
    assert build(builder, VARIANT_HOURLY, BRISK).row_count == 1
    assert_nothing_left(warehouse.client(Role.ADMIN))


def test_rows_that_nobody_published_are_read_by_nobody_and_dropped_by_the_next_build(
    warehouse: WarehouseProcess,
) -> None:
    ingest, builder, read = (warehouse.client(role) for role in (Role.INGEST, Role.BUILD, Role.READ))
    delivered = some_delivered(ingest, random.Random(8))
    build(builder, VARIANT_HOURLY, BRISK)
    first = published(builder, "variant_hourly")
    delivered += some_delivered(ingest, random.Random(9))
    attempt = Attempt(builder, VARIANT_HOURLY)
    with Lease(builder, ["variant_hourly"], attempt.id, BRISK) as lease:
        dying = Build(builder, VARIANT_HOURLY, attempt, lease)
        until = dying.build_log.complete_through()
        dying.fill(dying.windows(dying.build_log.watermark("variant_hourly"), until), until)
        # Killed before its last act: its lease ends without a word.
    left = versions_of(warehouse.client(Role.ADMIN), "variant_hourly") - first
    assert left
    assert_exact(read, delivered, NOW)
    build(builder, VARIANT_HOURLY, BRISK)
    assert_exact(read, delivered, NOW)
    assert not left & versions_of(warehouse.client(Role.ADMIN), "variant_hourly")
    # What is replaced may still be read by a statement that has begun.
    assert first <= versions_of(warehouse.client(Role.ADMIN), "variant_hourly")
    assert_nothing_left(warehouse.client(Role.ADMIN))


@pytest.mark.slow
def test_a_question_told_versions_is_answered_of_them_while_others_are_published(
    warehouse: WarehouseProcess,
) -> None:
    ingest, builder = warehouse.client(Role.INGEST), warehouse.client(Role.BUILD)
    some_delivered(ingest, random.Random(10))
    build(builder, VARIANT_HOURLY, BRISK)
    other = warehouse.client(Role.BUILD)
    with one_snapshot():
        before = builder.rows(ROWS)
        some_delivered(ingest, random.Random(11))
        with ThreadPoolExecutor(1) as elsewhere:
            elsewhere.submit(build, other, VARIANT_HOURLY, BRISK).result()
            newer = elsewhere.submit(other.rows, ROWS).result()
        assert builder.rows(ROWS) == before != newer
    assert builder.rows(ROWS) == newer


@pytest.mark.slow
def test_versions_are_needed_for_ten_minutes_however_often_a_mart_is_built(
    warehouse: WarehouseProcess,
) -> None:
    admin = warehouse.client(Role.ADMIN)
    for version in range(40):
        publish(admin, version)
    assert needed(admin) == set(range(40))
    admin.execute(
        "alter table errata_ops.builds update finished_at = finished_at - interval 11 minute where true "
        "settings mutations_sync = 1"
    )
    for version in range(40, 60):
        publish(admin, version)
    assert needed(admin) == {39, *range(40, 60)}
    (kept,) = admin.rows("select count() as build_count from errata_ops.builds final")
    assert kept["build_count"] == 40


def publish(admin: Warehouse, version: int) -> None:
    (following,) = admin.rows(sql.build_statement("next_build_number"), {"mart": "page_loads"})
    admin.execute(
        sql.build_statement("publish_build"),
        {
            **{"mart": "page_loads", "number": following["number"], "table_uuid": uuid4(), "watermark": NOW},
            **{"attempt": uuid4().hex, "window_count": 1, "row_count": 1, "seconds": 1.0},
            **{"waiting": [], "waiting_since": [], "waiting_rows": []},
            **{"late_projects": [], "late_days": [], "late_since": []},
            **{"days": [NOW.date()], "versions": [version], "model_hash": ""},
        },
    )


def needed(admin: Warehouse) -> set[int]:
    admin.execute("optimize table errata_ops.builds final")
    (row,) = admin.rows(sql.build_statement("needed_versions"), {"mart": "page_loads"})
    return set(row["versions"])
