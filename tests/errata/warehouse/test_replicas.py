"""What can be known of replicas without one."""

import re

from errata.warehouse import sql
from errata.warehouse.connection import Connection, by_preference
from errata.warehouse.readiness import LOOK_EVERY_SECONDS, Readiness, is_ready
from errata.warehouse.replicas import BUILD_SERVER, DATABASES, rendered
from errata.warehouse.roles import Role
from tests.cases import each
from tests.processes import WarehouseProcess


def test_the_five_databases_are_those_of_the_bootstrap() -> None:
    assert set(DATABASES) == {"errata_raw", "errata_mart", "errata_ops", "errata_read", "errata_analysis"}


def test_every_table_of_ours_has_a_replicated_engine_that_the_server_can_read(
    warehouse: WarehouseProcess,
) -> None:
    admin = warehouse.client(Role.ADMIN)
    files = (sql.parse(sql.DIRECTORY / "bootstrap.sql"), *sql.migrations(), *sql.models())
    created = [one for file in files for one in file.statements if one.startswith("create table")]
    assert len(created) > 45
    for statement in created:
        if BUILD_SERVER in statement:
            assert "engine = KeeperMap('/errata/" in rendered(statement)
            continue
        changed = rendered(statement)
        read = admin.rows("select formatQuery({statement:String}) as text", {"statement": changed})
        uuids = re.findall(r"[0-9a-f]{8}-[0-9a-f-]{27}", changed)
        assert len(uuids) == 2 and uuids[0] == uuids[1]
        engine = (
            rf"\nENGINE = Replicated(Replacing)?MergeTree\('/clickhouse/errata/{uuids[0]}', '{{replica}}'"
        )
        assert re.search(engine, read[0]["text"]), changed
        assert ("Replacing" in changed) == (re.search(r"\{replica\}', \w+\)", changed) is not None)
    admin.close()


def test_tables_are_the_same_but_for_their_engine() -> None:
    statement = "create table errata_raw.a\n(\n    id UInt32\n)\nengine = MergeTree\norder by id"
    assert rendered(statement).endswith("order by id")
    assert rendered("create or replace view errata_read.a as select 1") == (
        "create or replace view errata_read.a as select 1"
    )


def test_a_server_alone_is_ready_for_each_role(warehouse: WarehouseProcess) -> None:
    for role in (Role.INGEST, Role.BUILD, Role.READ, Role.ANALYST):
        assert is_ready(warehouse.url(role)), role
    assert not is_ready(warehouse.url(Role.READ).replace(f":{warehouse.port}", ":1"))
    assert not is_ready(f"http://nobody:nothing@127.0.0.1:{warehouse.port}")


@each(("late", "expected"), [(0, True), (1_900, True), (2_100, False), (-2_100, False)])
def test_a_server_with_another_clock_is_not_ready(
    warehouse: WarehouseProcess, late: int, expected: bool
) -> None:
    read = warehouse.client(Role.READ)
    now = read.rows("select toUnixTimestamp64Milli(now64(3)) as now")[0]["now"]
    assert bool(read.rows(sql.query("ready"), {"now_ms": now + late})[0]["is_ready"]) == expected
    read.close()


def test_whoever_asks_looks_once_a_second() -> None:
    now, seen, looks = [100.0], [False], []

    def look() -> bool:
        looks.append(now[0])
        return seen[0]

    readiness = Readiness(look, lambda: now[0])
    assert not readiness.is_ready() and not readiness.is_ready() and len(looks) == 1
    seen[0] = True
    now[0] += LOOK_EVERY_SECONDS
    assert readiness.is_ready() and len(looks) == 2
    readiness.lost()
    assert not readiness.is_ready()
    now[0] += LOOK_EVERY_SECONDS
    assert readiness.is_ready()


@each(
    ("there", "ready", "settled", "expected"),
    [
        ((1, 1, 1), (1, 1, 1), (1, 1, 1), [0, 1, 2]),
        ((0, 1, 1), (1, 1, 1), (1, 1, 1), [1, 2]),
        ((1, 1, 1), (0, 1, 1), (1, 1, 1), [1, 2, 0]),
        ((1, 1, 1), (1, 1, 1), (0, 1, 1), [1, 2, 0]),
        ((1, 1, 1), (0, 1, 1), (1, 0, 1), [2, 1, 0]),
        ((1, 1, 0), (0, 0, 1), (1, 1, 1), [0, 1]),
    ],
)
def test_one_that_is_ready_and_settled_comes_first(
    there: tuple[int, ...], ready: tuple[int, ...], settled: tuple[int, ...], expected: list[int]
) -> None:
    connections = [Connection(f"http://u:p@host-{number}:1", {}, 1, 1, 1) for number in range(len(there))]
    for number, connection in enumerate(connections):
        connection.presence.is_there = lambda number=number: bool(there[number])  # type: ignore[method-assign, misc]
        connection.presence.is_settled = lambda number=number: bool(settled[number])  # type: ignore[method-assign, misc]
        connection.readiness.is_ready = lambda number=number: bool(ready[number])  # type: ignore[method-assign, misc]
    assert [connections.index(one) for one in by_preference(connections)] == expected
