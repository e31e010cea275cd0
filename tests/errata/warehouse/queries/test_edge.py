"""What a process keeps of new events equals what is read anew, whatever happens in between."""

import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from threading import Barrier
from typing import Any
from uuid import uuid4

import pytest

from errata.clock import EPOCH
from errata.warehouse.asked import recorded
from errata.warehouse.cache import Cache
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.edge import Arrivals, Edge, Looking, Since
from errata.warehouse.roles import Role
from tests.builders import a_mapping, a_variant, an_error_event, insert
from tests.processes import WarehouseProcess

SECOND = timedelta(seconds=1)


@pytest.fixture
def admin(warehouse: WarehouseProcess) -> Iterator[Warehouse]:
    client = warehouse.client(Role.ADMIN)
    yield client
    client.close()


@pytest.fixture
def looking(read: Warehouse, ingest: Warehouse, admin: Warehouse) -> Looking:
    """Of three variants that were assigned long ago."""
    long_ago = datetime.now(UTC) - timedelta(days=1)
    for number in (1, 2, 3):
        insert(ingest, "errata_raw.variants", [a_variant(variant_hash=number, first_seen_at=long_ago)])
        mapping = a_mapping(variant_hash=number, issue_id=100 + number, fingerprint_hash=number)
        insert(ingest, "errata_raw.variant_issues", [mapping])
    admin.execute(
        "alter table errata_raw.variant_assignments update assigned_at = assigned_at - interval 1 hour "
        "where true settings mutations_sync = 1"
    )
    since = Since(datetime.now(UTC) - timedelta(minutes=10), EPOCH, EPOCH)
    read.cache = Cache()
    return Looking(read, 7, since)


def contents(edge: Edge) -> tuple[bytes, bytes]:
    fresh, moved = edge.tables()
    return fresh.rows, moved.rows


def received(age: float, **values: Any) -> dict[str, Any]:
    at = datetime.now(UTC) - age * SECOND
    return an_error_event(received_at=at, occurred_at=at - SECOND, **values)


def reads(look: Callable[[], object]) -> list[datetime]:
    """From which moment on a look reads events."""
    with recorded() as asked:
        look()
    return [one.parameters["arrivals_since"] for one in asked if one.statement.name == "arrivals"]


def test_only_the_last_half_minute_is_read_again(looking: Looking, ingest: Warehouse) -> None:
    insert(ingest, "errata_raw.error_events", [received(300), received(90, variant_hash=2), received(2)])
    kept = Arrivals()
    assert reads(partial(kept.edge, looking)) == [looking.since.arrivals]
    insert(ingest, "errata_raw.error_events", [received(0, variant_hash=3)])
    (read_from,) = reads(partial(kept.edge, looking))
    assert timedelta() < datetime.now(UTC) - read_from < timedelta(seconds=60)
    edge = kept.edge(looking)
    assert [one.issue_id for one in edge.arrivals] == [101, 102, 101, 103]
    of_one, _ = edge.tables([102])
    assert of_one.rows == edge.arrivals[1].row


def test_nothing_is_read_where_nothing_came(looking: Looking, ingest: Warehouse) -> None:
    """Whatever the sum of the hashes of old and new rows."""
    ages = [*range(60, 70), *range(10)]
    insert(ingest, "errata_raw.error_events", [received(age, variant_hash=1 + age % 3) for age in ages])
    kept = Arrivals()
    first = kept.edge(looking)
    assert reads(partial(kept.edge, looking)) == []
    assert contents(kept.edge(looking)) == contents(first)


def moved(ingest: Warehouse, number: int, issue_id: int) -> None:
    mapping = a_mapping(variant_hash=number, issue_id=issue_id, fingerprint_hash=number, authority=2)
    insert(ingest, "errata_raw.variant_issues", [mapping])


def test_an_old_event_follows_its_variant(looking: Looking, ingest: Warehouse) -> None:
    insert(ingest, "errata_raw.error_events", [received(300), received(90, variant_hash=2)])
    kept = Arrivals()
    kept.edge(looking)
    moved(ingest, 1, 105)
    assert [one.issue_id for one in kept.edge(looking).arrivals] == [105, 102]


def test_nothing_is_looked_for_after_the_only_new_event_was_erased(
    looking: Looking, ingest: Warehouse, admin: Warehouse
) -> None:
    insert(ingest, "errata_raw.error_events", [received(90), received(1, variant_hash=2)])
    kept = Arrivals()
    assert [one.issue_id for one in kept.edge(looking).arrivals] == [101, 102]
    admin.execute(
        "alter table errata_raw.error_events delete where variant_hash = 2 settings mutations_sync = 1"
    )
    assert reads(partial(kept.edge, looking)) == []
    assert [one.issue_id for one in kept.edge(looking).arrivals] == [101]


def test_variants_that_moved_are_asked_for_when_one_is_assigned(looking: Looking, ingest: Warehouse) -> None:
    known_to_totals = replace(looking, since=replace(looking.since, variants=datetime.now(UTC)))
    kept = Arrivals()
    before = kept.edge(known_to_totals).moved.rows
    with recorded() as asked:
        assert kept.edge(known_to_totals).moved.rows == before
    assert [one.statement.name for one in asked] == ["live_edge"]
    moved(ingest, 3, 104)
    after = kept.edge(known_to_totals).moved.rows
    assert after == Arrivals().edge(known_to_totals).moved.rows != before


def test_what_is_kept_equals_what_is_read_anew(looking: Looking, ingest: Warehouse, admin: Warehouse) -> None:
    """Also with rows that appear late, copies, erased rows, and variants that move or are deleted."""
    chance = random.Random(4)
    kept, items = Arrivals(), [uuid4() for _ in range(12)]

    def came() -> None:
        age = chance.choice([0, 0, 5, 45, 200, 500, 700])
        event = received(age, item_id=chance.choice(items), variant_hash=chance.randint(1, 3))
        insert(ingest, "errata_raw.error_events", [event])

    def erased() -> None:
        item = chance.choice(items)
        admin.execute(
            "alter table errata_raw.error_events delete where item_id = {item:UUID} "
            "settings mutations_sync = 1",
            {"item": item},
        )

    def placed() -> None:
        moved(ingest, chance.randint(1, 3), chance.randint(101, 105))

    sizes = set()
    for _ in range(40):
        chance.choices([came, erased, placed], [8, 1, 1])[0]()
        mine = contents(kept.edge(looking))
        assert mine == contents(Arrivals().edge(looking))
        sizes.add(len(mine[0]))
    assert len(sizes) > 5


def test_a_later_build_is_begun_with(looking: Looking, ingest: Warehouse) -> None:
    insert(ingest, "errata_raw.error_events", [received(300), received(90)])
    kept = Arrivals()
    kept.edge(looking)
    later = Looking(looking.warehouse, 7, Since(datetime.now(UTC) - 100 * SECOND, EPOCH, EPOCH))
    assert len(kept.edge(later).arrivals) == 1


def test_those_who_come_together_share_a_look(looking: Looking, ingest: Warehouse) -> None:
    insert(ingest, "errata_raw.error_events", [received(1)])
    kept, together = Arrivals(), Barrier(8)

    def look() -> Edge:
        together.wait()
        return kept.edge(looking)

    with ThreadPoolExecutor(8) as threads:
        edges = [each.result() for each in [threads.submit(look) for _ in range(8)]]
    assert len({id(edge) for edge in edges}) <= 3
    assert {len(edge.arrivals) for edge in edges} == {1}
    insert(ingest, "errata_raw.error_events", [received(0)])
    assert len(kept.edge(looking).arrivals) == 2
