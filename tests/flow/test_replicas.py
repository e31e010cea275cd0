"""Replicas of one shard: whichever is there and ready is used, and each has what the others have."""

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from errata.warehouse.backup_disk import FOLDER
from errata.warehouse.client import Warehouse
from errata.warehouse.migrations import migrate
from errata.warehouse.readiness import is_ready
from errata.warehouse.replicas import NotReplicated
from errata.warehouse.roles import Role
from pipelines.builder.build_server import build_url
from pipelines.builder.due import build_due
from pipelines.builder.lease import LeaseLost
from tests.bare_server import migrated_server
from tests.builders import an_error_event, insert
from tests.cluster import Cluster
from tests.cluster_checks import Sender, errors, titles
from tests.keeper import is_installed
from tests.mart_builds import FAST
from tests.processes import WarehouseProcess
from tests.replicas import ReplicatedProcess, replicas_with_keeper
from tests.waiting import wait_until

WITHIN_SECONDS = 120
# A second for a look, one for the next, and what a busy machine takes.
LONGEST_ANSWER_SECONDS = 5
EVENTS = "errata_raw.error_events"
ITEMS = "select toString(item_id) as item_id from errata_raw.error_events order by item_id"
ENGINES = "select engine from system.tables where startsWith(database, 'errata_')"
BUILT = "select count() > 0 as is_built from errata_mart.variant_hourly"
BUILDS = "select mart, number, count() as count from errata_ops.builds group by mart, number"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not is_installed(), reason="no ZooKeeper was found"),
]


@pytest.fixture
def replicas(tmp_path: Path) -> Iterator[ReplicatedProcess]:
    with replicas_with_keeper(tmp_path / "warehouse", 2) as found:
        yield found


@pytest.fixture
def cluster(replicas: ReplicatedProcess, tmp_path: Path) -> Cluster:
    found = Cluster(tmp_path / "nodes", replicas)
    found.migrate()
    return found


def rows_of(server: WarehouseProcess, statement: str) -> list[dict[str, object]]:
    admin = Warehouse(server.url(Role.ADMIN))
    rows = admin.rows(statement)
    admin.close()
    return rows


def items_of(server: WarehouseProcess) -> list[str]:
    return [str(row["item_id"]) for row in rows_of(server, ITEMS)]


def wait_for_all(replicas: ReplicatedProcess, items: set[str]) -> None:
    """Until each replica has each of the items, once."""
    wait_until(lambda: all(items_of(one) == sorted(items) for one in replicas.members), WITHIN_SECONDS)


def is_first_ready(replicas: ReplicatedProcess) -> bool:
    return is_ready(replicas.members[0].url(Role.INGEST))


def test_a_killed_replica_costs_no_event_and_catches_up(cluster: Cluster) -> None:
    replicas = cluster.shards
    assert isinstance(replicas, ReplicatedProcess)
    with cluster.web() as address, Sender(cluster, address, cluster.first) as sender:
        sender.wait_for(20)
        replicas.kill(0)
        sender.wait_for(sender.stored_count + 40)
        assert titles(cluster, address, cluster.first) == {"MovedError: of a shard"}
        replicas.start_again(0)
        wait_until(lambda: is_first_ready(replicas), WITHIN_SECONDS)
        sender.wait_for(sender.stored_count + 40)
        replicas.kill(1)
        sender.wait_for(sender.stored_count + 40)
        replicas.start_again(1)
        sender.wait_for(sender.stored_count + 20)
    assert sender.slowest_answer < LONGEST_ANSWER_SECONDS
    wait_for_all(replicas, sender.stored)


def test_a_replica_without_keeper_is_passed_over(cluster: Cluster) -> None:
    replicas = cluster.shards
    assert isinstance(replicas, ReplicatedProcess)
    with cluster.web() as address, Sender(cluster, address, cluster.first) as sender:
        sender.wait_for(20)
        replicas.relays_to_keeper[0].stop()
        sender.wait_for(sender.stored_count + 40)
        wait_until(lambda: not is_first_ready(replicas), WITHIN_SECONDS)
        # It takes nothing, and lacks what the other one has.
        assert len(items_of(replicas.members[0])) < len(items_of(replicas.members[1]))
        replicas.relays_to_keeper[0].start()
        wait_until(lambda: is_first_ready(replicas), WITHIN_SECONDS)
        sender.wait_for(sender.stored_count + 20)
    assert sender.slowest_answer < LONGEST_ANSWER_SECONDS
    wait_for_all(replicas, sender.stored)


def test_without_any_keeper_pages_respond_and_deliveries_are_refused(cluster: Cluster) -> None:
    replicas = cluster.shards
    assert isinstance(replicas, ReplicatedProcess) and replicas.keeper
    with cluster.web() as address:
        assert cluster.deliver(address, cluster.first.app_key, errors("FirstError")) == 200
        replicas.keeper.kill()
        wait_until(lambda: not is_first_ready(replicas), WITHIN_SECONDS)
        assert cluster.deliver(address, cluster.first.app_key, errors("LostError")) == 503
        assert titles(cluster, address, cluster.first) == {"FirstError: of a shard"}
        replicas.keeper.start()
        wait_until(
            lambda: cluster.deliver(address, cluster.first.app_key, errors("LaterError")) == 200,
            WITHIN_SECONDS,
        )
        assert "LaterError: of a shard" in titles(cluster, address, cluster.first)


def test_a_batch_sent_again_to_another_replica_counts_once(replicas: ReplicatedProcess) -> None:
    replicas.migrate()
    rows = [{"project_id": 7, "item_type": "event", "item_count": number} for number in range(10)]
    for member in (*replicas.members, *replicas.members):
        ingest = Warehouse(member.url(Role.INGEST))
        ingest.insert_rows("errata_raw.outcomes", rows, token="one delivery")
        ingest.close()
    count = "select count() as count from errata_raw.outcomes"
    wait_until(lambda: [rows_of(one, count)[0]["count"] for one in replicas.members] == [10, 10], 20)


def test_marts_are_built_on_one_replica_by_all_builders(cluster: Cluster) -> None:
    replicas = cluster.shards
    assert isinstance(replicas, ReplicatedProcess)
    admin = replicas.client(Role.ADMIN)
    insert(admin, EVENTS, [an_error_event() for _ in range(5)])
    with ThreadPoolExecutor(3) as builders:
        said = list(builders.map(lambda _: cluster.run("-m", "pipelines.builder", succeeds=False), range(3)))
    first, second = (f"127.0.0.1:{one.port}" for one in replicas.members)
    chosen = "select server from errata_ops.build_server"
    for member in replicas.members:
        assert rows_of(member, chosen) == [{"server": first}], said
    assert all(row["count"] == 1 for row in rows_of(replicas.members[0], BUILDS))
    built = "select count() as count from errata_mart.variant_hourly"
    wait_until(lambda: len({str(rows_of(one, built)) for one in replicas.members}) == 1, 20)
    replicas.kill(0)
    insert(admin, EVENTS, [an_error_event() for _ in range(5)])
    assert "variant_hourly: " in cluster.build()
    assert rows_of(replicas.members[1], chosen) == [{"server": second}]
    replicas.start_again(0)
    wait_until(lambda: is_first_ready(replicas), WITHIN_SECONDS)
    # The first one is not gone back to.
    url = replicas.url(Role.BUILD)
    build = replicas.client(Role.BUILD)
    assert build_url(build, url).endswith(second)
    build.close()
    admin.close()


def test_a_builder_on_a_replica_that_is_no_longer_chosen_publishes_nothing(
    replicas: ReplicatedProcess,
) -> None:
    replicas.migrate()
    admin = replicas.client(Role.ADMIN)
    insert(admin, EVENTS, [an_error_event()])
    admin.execute("insert into errata_ops.build_server (name, server) values ('builds', 'elsewhere:8123')")
    build = Warehouse(replicas.members[0].url(Role.BUILD))
    with pytest.raises(LeaseLost):
        list(build_due(build, ["variant_hourly"], FAST))
    build.close()
    assert not rows_of(replicas.members[0], BUILDS)
    admin.close()


def test_a_replica_is_added_while_events_arrive(cluster: Cluster, tmp_path: Path) -> None:
    replicas = cluster.shards
    assert isinstance(replicas, ReplicatedProcess)
    with cluster.web() as address, Sender(cluster, address, cluster.first) as sender:
        sender.wait_for(20)
        replicas.add(tmp_path / "third")
        plan = cluster.run("-m", "errata", "migrate", "--plan")
        assert f"create errata_raw.error_events on 127.0.0.1:{replicas.members[2].port}" in plan
        cluster.migrate()
        assert "create errata_raw" not in cluster.run("-m", "errata", "migrate", "--plan")
        sender.wait_for(sender.stored_count + 20)
    wait_for_all(replicas, sender.stored)
    assert "have the right permissions" in cluster.run("-m", "errata", "doctor", succeeds=False)


def test_a_server_with_tables_of_its_own_is_no_replica(replicas: ReplicatedProcess) -> None:
    first, second = (Warehouse(one.url(Role.ADMIN)) for one in replicas.members)
    migrate(first)
    with pytest.raises(NotReplicated, match="aren't replicated"):
        migrate(first, [second])
    first.close()
    second.close()


def test_servers_with_a_keeper_each_are_no_replicas(replicas: ReplicatedProcess, tmp_path: Path) -> None:
    with replicas_with_keeper(tmp_path / "other", 1) as other:
        first, second = (Warehouse(one.members[0].url(Role.ADMIN)) for one in (replicas, other))
        with pytest.raises(NotReplicated, match="a Keeper of its own"):
            migrate(first, [second])
        assert not rows_of(
            replicas.members[0], "select name from system.tables where database = 'errata_raw'"
        )
        first.close()
        second.close()


def test_a_backup_of_a_replica_is_restored_to_a_single_server(cluster: Cluster, tmp_path: Path) -> None:
    replicas = cluster.shards
    assert isinstance(replicas, ReplicatedProcess)
    admin = replicas.client(Role.ADMIN)
    insert(admin, EVENTS, [an_error_event() for _ in range(5)])
    admin.close()
    cluster.build()
    first = replicas.members[0]
    backups = first.directory / "run" / "backup" / FOLDER
    refused = cluster.run("-m", "errata", "backup", str(backups), succeeds=False)
    assert "name one of the replicas" in refused
    of_one = Cluster(cluster.directory, WarehouseProcess(first.directory, first.port, first.process))
    of_one.run("-m", "errata", "backup", str(backups))
    alone = migrated_server(tmp_path / "alone")
    try:
        shutil.copytree(backups, alone.directory / "backups" / FOLDER)
        restored = Cluster(tmp_path / "restored", alone)
        restored.directory.mkdir()
        restored.run("-m", "errata", "restore", str(alone.directory / "backups" / FOLDER))
        restored.run("-m", "errata", "migrate")
        assert items_of(alone) == items_of(first)
        engines = (
            "select distinct engine from system.tables where startsWith(database, 'errata_') order by engine"
        )
        assert [row["engine"] for row in rows_of(alone, engines)] == [
            "MergeTree",
            "ReplacingMergeTree",
            "View",
        ]
        # Rows that came just now are left to a later build.
        wait_until(lambda: bool(restored.build() and rows_of(alone, BUILT)[0]["is_built"]), WITHIN_SECONDS)
    finally:
        alone.process.kill()
        alone.process.wait()
