"""Whatever order, overlap or repetition files are delivered in, the ledger equals a recount byte by byte."""

import math
import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest

from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.progress import progress
from errata.warehouse.roles import Role
from tests.builders import a_delivery, insert
from tests.ledger_recount import recounted
from tests.mart_builds import build_marts, let_bound_take_hold
from tests.processes import WarehouseProcess

LEDGER = f"""
    select * from ({sql.part("delivery_files")})
    order by project_id, day, host, file, file_id
    settings enable_materialized_cte = 1
"""
PROJECTS = [7, 8]
SERVICES = ["", "worker", "worker", "worker", "worker", "(several)"]


@pytest.fixture
def ingest(warehouse: WarehouseProcess) -> Iterator[Warehouse]:
    client = warehouse.client(Role.INGEST)
    yield client
    client.close()


def ledger(warehouse: WarehouseProcess) -> list[Row]:
    read = warehouse.client(Role.READ)
    scope = {"projects": PROJECTS, "files_since": date(2000, 1, 1)}
    bound = {"complete_through": progress(read, "delivery_daily").complete_through}
    rows = read.rows(LEDGER, {**scope, **bound})
    read.close()
    for row in rows:
        for name in ("lag_ms_p50", "lag_ms_p95", "lag_ms_max"):
            row[name] = None if math.isnan(row[name]) else row[name]
    return rows


def raw(warehouse: WarehouseProcess) -> list[Row]:
    admin = warehouse.client(Role.ADMIN)
    rows = admin.rows("select * from errata_raw.deliveries where host != '' and file != ''")
    admin.close()
    return rows


def assert_exact(warehouse: WarehouseProcess) -> None:
    assert ledger(warehouse) == recounted(raw(warehouse))


def some_files(random_: random.Random) -> list[list[Row]]:
    """The deliveries of each of many files, in the order a shipper would make them."""
    today = datetime.now(UTC).date()
    files = []
    for number in range(50):
        day = today - timedelta(days=random_.choice([0, 0, 1, 3]))
        size = random_.randrange(1, 400)
        file = {
            "project_id": random_.choice(PROJECTS),
            "host": random_.choice(["web-1", "web-2", "db ü'\\"]),
            "file": random_.choice([f"errata-{day}.log", f"errata-{day}.log", "app.log"]),
        }
        # An id for every few files of one name: emptied, filled again, and some of an older shipper.
        file["file_id"] = random_.choice(["", f"{number % 3:016x}", f"{number % 3:016x}"])
        files.append(deliveries(random_, file, size))
    return files


def deliveries(random_: random.Random, file: Row, size: int) -> list[Row]:
    cuts = sorted({0, size, *(random_.randrange(size + 1) for _ in range(random_.randrange(6)))})
    found = []
    for since, until in pairwise(cuts):
        told = {**file, "byte_from": since, "byte_to": until, "file_bytes": random_.randrange(size + 1)}
        if random_.random() < 0.3:
            told["file"] += random_.choice([".1", "-20261121"]) if file["file"] != "app.log" else ""
        if random_.random() < 0.2:
            told["file_id"] = ""
        told["newest_logged_at"] = random_.choice(
            [
                datetime.now(UTC) - timedelta(seconds=random_.uniform(-9, 9_000)),
                datetime(1970, 1, 1, tzinfo=UTC),
            ]
        )
        told |= {
            name: random_.randrange(4) for name in ("accepted_count", "rejected_count", "set_aside_count")
        }
        found.append(a_delivery(**told, service=random_.choice(SERVICES)))
    if random_.random() < 0.3:
        end = random_.choice(["removed", "replaced"])
        found.append(
            a_delivery(
                **file,
                byte_from=size,
                byte_to=size,
                file_bytes=size + 7,
                file_end=end,
                accepted_count=0,
                service=random_.choice(SERVICES),
            )
        )
    # Some never come, some come again, some in other pieces.
    found = [one for one in found if random_.random() < 0.85]
    found += [dict(one) for one in found if random_.random() < 0.2]
    if found and random_.random() < 0.3:
        again = random_.choice(found)
        found.append(a_delivery(**{**again, "batch_id": "other", "byte_to": again["byte_to"] + 5}))
    if random_.random() < 0.5:
        random_.shuffle(found)
    return found


@pytest.mark.slow
def test_the_ledger_equals_a_recount_before_between_and_after_builds(
    warehouse: WarehouseProcess, ingest: Warehouse
) -> None:
    random_ = random.Random(1)
    files = some_files(random_)
    for step in range(3):
        # Files arrive in parts: some of each before, between and after the builds.
        for number in range(2):
            insert(
                ingest,
                "errata_raw.deliveries",
                [row for file in files for row in file[step * 2 + number :: 6]],
            )
        assert_exact(warehouse)
        if step < 2:
            build_marts(warehouse, "delivery_daily")
            assert_exact(warehouse)
    let_bound_take_hold(warehouse)
    assert_exact(warehouse)
    insert(ingest, "errata_raw.deliveries", [row for file in files for row in file if random_.random() < 0.2])
    assert_exact(warehouse)
    build_marts(warehouse, "delivery_daily")
    assert_exact(warehouse)


@pytest.mark.slow
def test_deliveries_of_one_file_on_several_days_are_one_row(
    warehouse: WarehouseProcess, ingest: Warehouse
) -> None:
    now = datetime.now(UTC)
    file = {"file": f"errata-{now - timedelta(days=5):%Y-%m-%d}.log", "file_bytes": 40}
    for age, since in ((5, 0), (4, 20)):
        moved = {"received_at": now - timedelta(days=age), "byte_from": since, "byte_to": since + 10}
        insert(ingest, "errata_raw.deliveries", [a_delivery(**file, **moved)])
    build_marts(warehouse, "delivery_daily")
    (row,) = ledger(warehouse)
    assert (row["gaps"], row["delivered_bytes"], row["waiting_bytes"]) == ([(10, 20)], 20, 10)
    insert(ingest, "errata_raw.deliveries", [a_delivery(**file, byte_from=10, byte_to=20)])
    assert_exact(warehouse)
    build_marts(warehouse, "delivery_daily")
    assert_exact(warehouse)
    (row,) = ledger(warehouse)
    assert (row["gaps"], row["delivered_bytes"], row["waiting_bytes"]) == ([], 30, 10)


def test_an_end_is_missing_once_its_host_went_on_without_it_for_a_day(
    warehouse: WarehouseProcess, ingest: Warehouse
) -> None:
    now = datetime.now(UTC)
    days = [now - timedelta(days=age) for age in (3, 2, 0)]
    for day in days[:2]:
        name = f"errata-{day:%Y-%m-%d}.log"
        insert(ingest, "errata_raw.deliveries", [a_delivery(file=name, file_bytes=25, received_at=day)])
    # A day is not over yet: two midnights in a row look like this.
    assert [row["waiting_bytes"] for row in ledger(warehouse)] == [15, 15]
    insert(ingest, "errata_raw.deliveries", [a_delivery(file=f"errata-{now:%Y-%m-%d}.log", file_bytes=25)])
    found = [(row["missing_bytes"], row["waiting_bytes"]) for row in ledger(warehouse)]
    assert found == [(15, 0), (15, 0), (0, 15)]
    assert_exact(warehouse)


def test_an_end_is_none_if_more_of_the_file_comes_later(
    warehouse: WarehouseProcess, ingest: Warehouse
) -> None:
    report = a_delivery(byte_from=10, byte_to=10, file_bytes=30, file_end="replaced", accepted_count=0)
    for row in (a_delivery(), report):
        insert(ingest, "errata_raw.deliveries", [row])
    (row,) = ledger(warehouse)
    assert (row["file_end"], row["missing_bytes"]) == ("replaced", 20)
    # The copy that logrotate made is read on.
    insert(ingest, "errata_raw.deliveries", [a_delivery(byte_from=10, byte_to=25, file_bytes=30)])
    (row,) = ledger(warehouse)
    assert (row["file_end"], row["missing_bytes"], row["waiting_bytes"]) == ("", 0, 5)
    assert_exact(warehouse)
