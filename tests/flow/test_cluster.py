"""Two shards of a cluster: each has its own projects, whatever becomes of the other."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from errata.warehouse.roles import Role
from tests.cluster import Cluster, Project
from tests.cluster_checks import (
    WITHIN_SECONDS,
    counted,
    errors,
    issues,
    leaves_nothing_once_confirmed,
    moves_under_load,
    project_id,
    titles,
)
from tests.shards import two_shards
from tests.waiting import wait_until


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    shards = two_shards(tmp_path / "shards")
    yield Cluster(tmp_path / "nodes", shards)
    shards.stop()


@pytest.mark.timeout(2 * WITHIN_SECONDS)
def test_each_shard_has_its_own_projects(cluster: Cluster) -> None:
    said = cluster.migrate()
    assert all(f"added shard {number}, at 127.0.0.1" in said for number in (1, 2)), said
    with cluster.web() as address:
        first, second = cluster.first, cluster.new_project(address, "Second")
        for project, name in ((first, "FirstError"), (second, "SecondError")):
            assert cluster.deliver(address, project.app_key, errors(name, name)) == 200
        assert titles(cluster, address, first) == {"FirstError: of a shard"}
        assert titles(cluster, address, second) == {"SecondError: of a shard"}
        stored = [
            {
                row["type"]
                for row in member.client(Role.ADMIN).rows("select type from errata_raw.error_events")
            }
            for member in cluster.members
        ]
        assert stored == [{"FirstError"}, {"SecondError"}]
        assert cluster.build().count("variant_hourly:") == len(cluster.members)
        assert titles(cluster, address, second) == {"SecondError: of a shard"}
        places = [f"shard {number} at 127.0.0.1:{one.port}" for number, one in enumerate(cluster.members, 1)]
        assert f"errata has {', '.join(places)}" in cluster.run("-m", "errata", "doctor", succeeds=False)
        backup = cluster.run("-m", "errata", "backup", str(cluster.directory / "backups"), succeeds=False)
        assert "back up the servers of a cluster" in backup
        assert cluster.ask(address, "health")["checks"]["shards"] == "ok"
        cluster.members[1].stop()
        assert cluster.deliver(address, second.app_key, errors("Lost")) == 503
        assert cluster.deliver(address, first.app_key, errors("LaterError")) == 200
        # Deliveries that come together are stored together.
        with ThreadPoolExecutor(8) as senders:
            statuses = senders.map(
                lambda project: cluster.deliver(address, project.app_key, errors("LaterError")),
                [first, second] * 12,
            )
            assert list(statuses) == [200, 503] * 12
        assert titles(cluster, address, first) == {"FirstError: of a shard", "LaterError: of a shard"}
        # What came by DSN waits in the node for the shard of its project, and holds up no other's.
        for project, name in ((second, "WaitingError"), (first, "DirectError")):
            assert sent_by_dsn(cluster, address, project, name) == 200
        wait_until(lambda: "DirectError: of a shard" in titles(cluster, address, first), WITHIN_SECONDS)
        checks = cluster.ask(address, "health")["checks"]
        assert (checks["warehouse"], checks["shards"], checks["servers"]) == ("ok", "failing", "failing")


def sent_by_dsn(cluster: Cluster, address: str, project: Project, name: str) -> int:
    """The status of an envelope with one error."""
    payload = json.dumps(json.loads(next(errors(name)))["payload"])
    return httpx2.post(
        f"{address}/api/{project_id(cluster, project)}/envelope/",
        content=f'{{}}\n{{"type":"event"}}\n{payload}\n',
        headers={"X-Sentry-Auth": f"Sentry sentry_version=7, sentry_key={project.app_key}"},
        timeout=60,
    ).status_code


@pytest.mark.slow
@pytest.mark.timeout(5 * WITHIN_SECONDS)
def test_a_project_moves_while_it_is_written_and_read(cluster: Cluster) -> None:
    cluster.migrate()
    clients = cluster.clients()
    with cluster.web() as address:
        neighbor = cluster.new_project(address, "Second")
        assert cluster.deliver(address, neighbor.app_key, errors("NeighborError")) == 200
        stored = moves_under_load(cluster, clients, address, cluster.first, 2)
    listed = cluster.run("-m", "errata", "cluster", "shards")
    assert f"{cluster.first.slug} (left)" in listed.splitlines()[0]
    assert listed.splitlines()[1].endswith(
        (f" {cluster.first.slug}", f" {cluster.first.slug}, {neighbor.slug}")
    )
    leaves_nothing_once_confirmed(cluster, clients, cluster.first, 1, 2)
    with cluster.web() as address:
        assert len(issues(cluster, address, cluster.first)) == 1
        assert counted(cluster, address, cluster.first) == stored
        cluster.build()
        assert counted(cluster, address, cluster.first) == stored
