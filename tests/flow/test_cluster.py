"""Two shards of a cluster: each has its own projects, whatever becomes of the other."""

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from errata.cluster.move import SLACK
from errata.state import Store
from errata.warehouse.roles import Role
from tests.builders import an_error_event, insert
from tests.cluster import SECRET, Cluster, Project
from tests.shards import two_shards
from tests.waiting import wait_until

WITHIN_SECONDS = 120
ITEMS = "select item_id from errata_raw.error_events"


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


class Sender:
    """Delivers an error after the other, each until it is stored, and looks at the list of issues."""

    def __init__(self, cluster: Cluster, address: str, project: Project) -> None:
        self._cluster, self._address, self._project = cluster, address, project
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._send), threading.Thread(target=self._look)]
        self.stored: set[str] = set()
        self.slowest_answer = 0.0

    def __enter__(self) -> "Sender":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    @property
    def stored_count(self) -> int:
        return len(self.stored)

    def wait_for(self, count: int) -> None:
        wait_until(lambda: len(self.stored) >= count, WITHIN_SECONDS)

    def _send(self) -> None:
        while not self._ended.is_set():
            lines = list(errors("MovedError"))
            while self._cluster.deliver(self._address, self._project.app_key, lines) != 200:
                time.sleep(0.2)
            self.stored.add(str(UUID(json.loads(lines[0])["payload"]["event_id"])))
            time.sleep(0.05)

    def _look(self) -> None:
        while not self._ended.is_set():
            began, is_stored = time.monotonic(), bool(self.stored)
            assert titles(self._cluster, self._address, self._project) or not is_stored
            self.slowest_answer = max(self.slowest_answer, time.monotonic() - began)
            time.sleep(0.1)


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
        checks = cluster.ask(address, "health")["checks"]
        assert (checks["warehouse"], checks["shards"]) == ("ok", "failing")


def project_id(cluster: Cluster) -> int:
    """Of the first project."""
    with closing(Store.open(cluster.settings["ERRATA_STATE_URL"], SECRET.encode())) as store:
        return store.shards.find(cluster.first.slug).id


@pytest.mark.slow
@pytest.mark.timeout(5 * WITHIN_SECONDS)
def test_a_project_moves_while_it_is_written_and_read(cluster: Cluster) -> None:
    cluster.migrate()
    with cluster.web() as address, Sender(cluster, address, cluster.first) as sender:
        sender.wait_for(20)
        said = cluster.run("-m", "errata", "cluster", "move", cluster.first.slug, "--to", "2")
        assert f"{cluster.first.slug} is on shard 2" in said, said
        sender.wait_for(sender.stored_count + 20)
    assert sender.slowest_answer < 5
    first, second = (
        {str(row["item_id"]) for row in member.client(Role.ADMIN).rows(ITEMS)} for member in cluster.members
    )
    assert sender.stored == second, (len(sender.stored), len(second))
    assert first < second
    listed = cluster.run("-m", "errata", "cluster", "shards")
    assert f"{cluster.first.slug} (left)" in listed.splitlines()[0]
    assert f": {cluster.first.slug}" in listed.splitlines()[1]
    late = uuid4()
    row = an_error_event(project_id=project_id(cluster), item_id=late, occurred_at=datetime.now(UTC))
    insert(cluster.members[0].client(Role.INGEST), "errata_raw.error_events", [row])
    early = cluster.run("-m", "errata", "cluster", "confirm", cluster.first.slug, succeeds=False)
    if "a write may be on its way" in early:
        time.sleep(SLACK.total_seconds())
        cluster.run("-m", "errata", "cluster", "confirm", cluster.first.slug)
    assert f"{late}" in {f"{row['item_id']}" for row in cluster.members[1].client(Role.ADMIN).rows(ITEMS)}
    assert cluster.members[0].client(Role.ADMIN).rows(ITEMS) == []
    with cluster.web() as address:
        (issue,) = cluster.ask(address, f"projects/{cluster.first.slug}/issues")["issues"]
        assert issue["event_count"] == len(sender.stored)
        cluster.build()
        (issue,) = cluster.ask(address, f"projects/{cluster.first.slug}/issues")["issues"]
        assert issue["event_count"] == len(sender.stored)
