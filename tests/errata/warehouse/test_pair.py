"""Two servers told as replicas. They do not replicate each other, so a batch whose answer was lost may stand
on both; replicas would know its token and drop it (tests/flow/test_replicas.py)."""

import json
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from errata.warehouse.client import Warehouse, WarehouseUnavailable
from errata.warehouse.migrations import migrate
from errata.warehouse.presence import SETTLED_SECONDS, Presence
from errata.warehouse.roles import Role
from tests.bare_server import BareServer, MigratedServer, migrated_server

SILENCE_SECONDS = 2
WRITERS, READERS = 4, 3
TABLE = "errata_raw.outcomes"
WHICH = "select path from system.disks where name = 'default'"


@dataclass
class Pair:
    servers: list[MigratedServer]

    def client(self, role: Role) -> Warehouse:
        first, second = (server.url(role) for server in self.servers)
        return Warehouse(f"{first},{second.rpartition('@')[2]}", silence_seconds=SILENCE_SECONDS)

    def batches(self) -> list[list[int]]:
        """The numbers of the batches on each server, one a row."""
        return [_batches(server) for server in self.servers]


def _batches(server: MigratedServer) -> list[int]:
    admin = server.client(Role.ADMIN)
    rows = admin.rows(f"select item_count as number from {TABLE} order by number")
    admin.close()
    return [row["number"] for row in rows]


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    servers = [migrated_server(tmp_path / name) for name in ("first", "second")]
    for server in servers:
        admin = server.client(Role.ADMIN)
        migrate(admin)
        admin.close()
    yield Pair(servers)
    for server in servers:
        if server.process.poll() is None:
            server.process.send_signal(signal.SIGCONT)
            server.process.kill()
        server.process.wait()


def a_batch(number: int) -> bytes:
    return json.dumps({"project_id": 7, "item_type": "event", "item_count": number}).encode() + b"\n"


@dataclass
class Load:
    """What threads got answered while they asked without a pause."""

    stored: list[int]
    longest_seconds: float = 0
    read_count: int = 0


def under_load(pair: Pair, meanwhile: float) -> Load:
    """Writers and readers for twice `meanwhile` seconds; the first server is killed in the middle."""
    ingest, read = pair.client(Role.INGEST), pair.client(Role.INGEST)
    ends_at = time.monotonic() + 2 * meanwhile

    def write(writer: int) -> Load:
        load = Load([])
        number = writer
        while (began := time.monotonic()) < ends_at:
            ingest.insert_json_lines(TABLE, a_batch(number), token=f"batch-{number}")
            load.longest_seconds = max(load.longest_seconds, time.monotonic() - began)
            load.stored.append(number)
            number += WRITERS
        return load

    def ask(_: int) -> Load:
        load = Load([])
        while (began := time.monotonic()) < ends_at:
            assert read.rows(f"select count() as count from {TABLE}")[0]["count"] >= 0
            load.longest_seconds = max(load.longest_seconds, time.monotonic() - began)
            load.read_count += 1
        return load

    with ThreadPoolExecutor(WRITERS + READERS) as threads:
        writing, reading = threads.map(write, range(WRITERS)), threads.map(ask, range(READERS))
        time.sleep(meanwhile)
        pair.servers[0].process.kill()
        loads = [*writing, *reading]
    for warehouse in (ingest, read):
        warehouse.close()
    return Load(
        sorted(number for load in loads for number in load.stored),
        max(load.longest_seconds for load in loads),
        sum(load.read_count for load in loads),
    )


def start_again(server: MigratedServer) -> None:
    server.process.wait()
    server.process = BareServer(server.directory, server.port).start()


def answering(pair: Pair, warehouse: Warehouse) -> int:
    """The place of the server that answers, 0 or 1."""
    path = warehouse.rows(WHICH)[0]["path"]
    return next(place for place, one in enumerate(pair.servers) if path.startswith(f"{one.directory}/"))


@pytest.mark.slow
def test_a_killed_server_costs_no_batch_no_answer_and_seconds_at_most(pair: Pair) -> None:
    load = under_load(pair, 3)
    start_again(pair.servers[0])
    first, second = pair.batches()
    told = (
        f"{len(load.stored)} batches, {len(first)} on the first and {len(second)} on the second server, "
        f"{len(set(first) & set(second))} on both; {load.read_count} reads, "
        f"the longest {load.longest_seconds:.2f} s"
    )
    assert first and second, told
    assert sorted({*first, *second}) == load.stored, told
    assert len(set(first)) == len(first) and len(set(second)) == len(second), told
    # Those whose answer the kill took.
    assert len(set(first) & set(second)) <= WRITERS, told
    assert load.longest_seconds < 4, told


@pytest.mark.slow
def test_a_statement_that_must_not_run_twice_fails_and_the_next_goes_to_the_other_server(pair: Pair) -> None:
    warehouse = pair.client(Role.ADMIN)
    assert answering(pair, warehouse) == 0
    pair.servers[0].process.send_signal(signal.SIGSTOP)
    began = time.monotonic()
    with pytest.raises(WarehouseUnavailable, match=str(pair.servers[0].port)):
        warehouse.execute("select 1 format Null")
    assert time.monotonic() - began < SILENCE_SECONDS + 3
    warehouse.execute("select 1 format Null")
    warehouse.insert_json_lines(TABLE, a_batch(1))
    assert answering(pair, warehouse) == 1
    pair.servers[0].process.send_signal(signal.SIGCONT)
    assert pair.batches() == [[], [1]]
    warehouse.close()


@pytest.mark.slow
def test_a_silent_server_is_read_from_no_longer_and_a_write_to_it_is_sent_to_the_other(pair: Pair) -> None:
    warehouse, ingest = pair.client(Role.ADMIN), pair.client(Role.INGEST)
    ingest.insert_json_lines(TABLE, a_batch(1), token="first")
    assert answering(pair, warehouse) == 0
    pair.servers[0].process.send_signal(signal.SIGSTOP)
    began = time.monotonic()
    ingest.insert_json_lines(TABLE, a_batch(2), token="second")
    assert answering(pair, warehouse) == 1
    assert time.monotonic() - began < 2 * (SILENCE_SECONDS + 3)
    assert ingest.ping() and warehouse.ping()
    began = time.monotonic()
    ingest.insert_json_lines(TABLE, a_batch(3), token="third")
    assert time.monotonic() - began < 1.5
    pair.servers[0].process.send_signal(signal.SIGCONT)
    # The first works off what had reached it before it fell silent: here it cannot know that it came again.
    assert set(pair.batches()[0]) <= {1, 2} and pair.batches()[1] == [2, 3]
    for one in (warehouse, ingest):
        one.close()


@pytest.mark.slow
def test_the_first_server_is_preferred_again_ten_seconds_after_it_came_back(pair: Pair) -> None:
    warehouse = pair.client(Role.ADMIN)
    assert answering(pair, warehouse) == 0
    pair.servers[0].process.kill()
    assert answering(pair, warehouse) == 1
    start_again(pair.servers[0])
    began = time.monotonic()
    while answering(pair, warehouse) == 1:
        assert time.monotonic() - began < SETTLED_SECONDS + 10
        time.sleep(0.1)
    assert time.monotonic() - began > SETTLED_SECONDS
    assert answering(pair, warehouse) == 0
    warehouse.close()


@pytest.mark.slow
def test_while_both_are_away_nobody_waits_and_whichever_comes_back_is_used_at_once(pair: Pair) -> None:
    warehouse = pair.client(Role.ADMIN)
    assert answering(pair, warehouse) == 0
    for server in pair.servers:
        server.process.kill()
    with pytest.raises(WarehouseUnavailable):
        answering(pair, warehouse)
    began = time.monotonic()
    for _ in range(20):
        with pytest.raises(WarehouseUnavailable, match=f"{pair.servers[0].port}, .*{pair.servers[1].port}"):
            warehouse.insert_json_lines(TABLE, a_batch(1), token="first")
    with pytest.raises(WarehouseUnavailable):
        warehouse.require()
    assert time.monotonic() - began < 1 and not warehouse.ping()
    start_again(pair.servers[0])
    began = time.monotonic()
    while not warehouse.ping():
        assert time.monotonic() - began < SETTLED_SECONDS
        time.sleep(0.1)
    assert answering(pair, warehouse) == 0
    warehouse.insert_json_lines(TABLE, a_batch(1), token="first")
    start_again(pair.servers[1])
    assert pair.batches() == [[1], []]
    warehouse.close()


@pytest.mark.slow
def test_a_program_that_starts_while_one_is_away_uses_the_other(pair: Pair) -> None:
    pair.servers[0].process.kill()
    warehouse = pair.client(Role.ADMIN)
    warehouse.execute("select 1 format Null")
    assert answering(pair, warehouse) == 1
    warehouse.close()


def test_a_server_is_settled_from_the_start_and_ten_seconds_after_each_return() -> None:
    now, alive = [100.0], [False]
    presence = Presence(lambda: alive[0], lambda: now[0])
    assert presence.is_there() and presence.is_settled()
    assert presence.lost()
    alive[0], now[0] = True, 200.0
    assert presence.is_there() and not presence.is_settled()
    now[0] += SETTLED_SECONDS
    assert presence.is_there() and presence.is_settled()
