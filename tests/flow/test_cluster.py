"""Two shards of a cluster: each has its own projects, whatever becomes of the other."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest

from errata.warehouse.roles import Role
from tests.cluster import Cluster, Project
from tests.shards import two_shards

WITHIN_SECONDS = 120


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    shards = two_shards(tmp_path / "shards")
    yield Cluster(tmp_path / "nodes", shards)
    shards.stop()


def errors(*names: str) -> Iterator[bytes]:
    for name in names:
        payload = {
            "event_id": uuid4().hex,
            "timestamp": datetime.now(UTC).isoformat(),
            "exception": {"values": [{"type": name, "value": "of a shard"}]},
        }
        yield json.dumps({"type": "event", "payload": payload}).encode()


def titles(cluster: Cluster, address: str, project: Project) -> set[str]:
    return {one["title"] for one in cluster.ask(address, f"projects/{project.slug}/issues")["issues"]}


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
            for member in cluster.shards.members
        ]
        assert stored == [{"FirstError"}, {"SecondError"}]
        assert "variant_hourly: 1 windows" in cluster.build()
        assert titles(cluster, address, second) == {"SecondError: of a shard"}
        cluster.shards.members[1].stop()
        assert cluster.deliver(address, second.app_key, errors("Lost")) == 503
        assert cluster.deliver(address, first.app_key, errors("LaterError")) == 200
        assert titles(cluster, address, first) == {"FirstError: of a shard", "LaterError: of a shard"}
