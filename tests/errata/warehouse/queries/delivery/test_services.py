"""What the ledger tells by service adds up to what it tells of a project, before and after a build."""

import random
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from errata.period import Period
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.delivery.ledger import SUMMED, Filters, files, hosts, outcomes, summary
from errata.warehouse.queries.delivery.usage import usage
from errata.warehouse.roles import Role
from tests.builders import Row, a_delivery, insert
from tests.mart_builds import build_marts, let_bound_take_hold
from tests.processes import WarehouseProcess

NOW = datetime.now(UTC)
PROJECT, SERVICES = 7, ("", "web", "worker")
CHOICES = ("(none)", "web", "worker", "(several)")


def deliveries(random_: random.Random) -> list[Row]:
    """Of files of one service and of several, with gaps, refused lines and repeated batches."""
    rows = []
    for number in range(30):
        services = random_.choices(SERVICES, k=random_.choice((1, 1, 2)))
        for byte_from in range(0, 60, 10):
            rows.append(delivered(f"host-{number % 3}", f"{number:016x}", byte_from, random_, services))
    rows = [row for row in rows if random_.random() < 0.9]
    return rows + [dict(row) for row in rows if random_.random() < 0.2]


def delivered(host: str, file_id: str, byte_from: int, random_: random.Random, services: list[str]) -> Row:
    accepted, rejected = Counter[str](), Counter[str]()
    for service in services:
        accepted[service] += random_.randrange(3)
        rejected[service] += random_.randrange(2)
    of_lines = sorted(service for service in accepted if accepted[service]) or [services[0]]
    lines = [(name, accepted[name], rejected[name]) for name in sorted(accepted)]
    return a_delivery(
        host=host,
        file_id=file_id,
        byte_from=byte_from,
        byte_to=byte_from + 10,
        file_bytes=byte_from + random_.choice((10, 25)),
        accepted_count=accepted.total(),
        rejected_count=rejected.total(),
        received_at=NOW - timedelta(minutes=random_.randrange(1, 90)),
        service=of_lines[0] if len(of_lines) == 1 else "(several)",
        lines_of_services=lines if len(lines) > 1 else [],
    )


def an_outcome(random_: random.Random) -> Row:
    return {
        "project_id": PROJECT,
        "service": random_.choice(SERVICES),
        "item_type": random_.choice(("event", "span")),
        "outcome": random_.choice(("too_old", "other_page")),
        "batch_id": str(random_.randrange(9)),
        "item_count": 3,
    }


@pytest.fixture
def read(warehouse: WarehouseProcess) -> Iterator[Warehouse]:
    client = warehouse.client(Role.READ)
    yield client
    client.close()


@pytest.fixture
def ingest(warehouse: WarehouseProcess) -> Iterator[Warehouse]:
    client = warehouse.client(Role.INGEST)
    yield client
    client.close()


def chosen(service: str) -> Filters:
    return Filters([PROJECT], Period("7d"), NOW, service=service)


def assert_adds_up(read: Warehouse) -> None:
    of_all = summary(hosts(read, chosen("")), NOW)
    each = [summary(hosts(read, chosen(service)), NOW) for service in CHOICES]
    assert of_all.missing_bytes > 0 and all(one.file_count > 0 for one in each)
    for name in SUMMED:
        assert getattr(of_all, name) == sum(getattr(one, name) for one in each), name
    listed = [file for service in CHOICES for file in files(read, chosen(service), 100).files]
    every = files(read, chosen(""), 100).files
    assert sorted(map(repr, listed)) == sorted(map(repr, every))
    counted = Counter[str]()
    for service in CHOICES:
        counted.update({row.outcome: row.item_count for row in outcomes(read, chosen(service))})
    assert counted == {row.outcome: row.item_count for row in outcomes(read, chosen(""))}


def test_services_add_up_to_the_project(
    warehouse: WarehouseProcess, ingest: Warehouse, read: Warehouse
) -> None:
    random_ = random.Random(4)
    rows = deliveries(random_)
    insert(ingest, "errata_raw.outcomes", [an_outcome(random_) for _ in range(60)])
    insert(ingest, "errata_raw.deliveries", rows[::2])
    assert_adds_up(read)
    let_bound_take_hold(warehouse)
    build_marts(warehouse, "delivery_daily")
    assert_adds_up(read)
    insert(ingest, "errata_raw.deliveries", rows[1::2])
    assert_adds_up(read)


def test_a_line_of_a_delivery_of_several_services_counts_once_in_the_use_of_limits(
    ingest: Warehouse, read: Warehouse
) -> None:
    rows = deliveries(random.Random(5))
    insert(ingest, "errata_raw.deliveries", rows)
    used = usage(read, [PROJECT], NOW, 24)
    hours = used.hours
    for name, expected in (
        ("delivery_count", len(rows)),
        ("accepted_count", sum(row["accepted_count"] for row in rows)),
        ("rejected_count", sum(row["rejected_count"] for row in rows)),
    ):
        assert sum(getattr(hour, name) for hour in hours) == expected
    assert {service for _, service in used.by_service} == set(SERVICES)
    for name in ("accepted_count", "rejected_count"):
        of_services = sum(getattr(use, name) for use in used.by_service.values())
        assert of_services == getattr(used.by_project[PROJECT], name) > 0


def test_an_unknown_service_has_no_files(ingest: Warehouse, read: Warehouse) -> None:
    insert(ingest, "errata_raw.deliveries", [a_delivery(service="web")])
    assert files(read, chosen("other")).files == [] and hosts(read, chosen("other")) == []
    assert [file.service for file in files(read, chosen("web")).files] == ["web"]
