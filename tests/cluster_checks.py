"""What holds of every cluster, of embedded servers and of official ones: tests and scripts/real-cluster check
it. A check raises AssertionError with what is wrong."""

import itertools
import json
import random
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from errata.cluster.move import SLACK
from errata.warehouse.client import Warehouse
from tests.builders import an_error_event
from tests.cluster import Nodes, Project
from tests.waiting import wait_until

WITHIN_SECONDS = 120
TIMES = 3
DELIVERIES, LINES_A_DELIVERY, KINDS = 24, 10, 2
SLOWEST_ANSWER_SECONDS = 5
EVENTS = "errata_raw.error_events"
ITEMS = f"select item_id from {EVENTS} where project_id = {{project_id:UInt32}}"
ITEMS_OF_ALL = f"select item_id from {EVENTS}"


def errors(*names: str, at: datetime | None = None) -> Iterator[bytes]:
    for name in names:
        payload = {
            "event_id": uuid4().hex,
            "timestamp": (at or datetime.now(UTC)).isoformat(),
            "exception": {"values": [{"type": name, "value": "of a shard"}]},
        }
        yield json.dumps({"type": "event", "payload": payload}).encode()


def id_of(line: bytes) -> str:
    return str(UUID(json.loads(line)["payload"]["event_id"]))


def issues(cluster: Nodes, address: str, project: Project) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = cluster.ask(address, f"projects/{project.slug}/issues?period=30d")[
        "issues"
    ]
    return listed


def titles(cluster: Nodes, address: str, project: Project) -> set[str]:
    return {one["title"] for one in issues(cluster, address, project)}


def counted(cluster: Nodes, address: str, project: Project) -> int:
    """Events of all issues of the project."""
    return sum(one["event_count"] for one in issues(cluster, address, project))


def project_id(cluster: Nodes, project: Project) -> int:
    with cluster.store() as store:
        return store.shards.find(project.slug).id


def held(server: Warehouse, project: int) -> set[str]:
    """Ids of the project's events that a server has."""
    return {str(row["item_id"]) for row in server.rows(ITEMS, {"project_id": project})}


class Sender:
    """Delivers an error after the other, each until it is stored, and looks at the list of issues. Raises at
    its end what went wrong meanwhile."""

    def __init__(self, cluster: Nodes, address: str, project: Project) -> None:
        self._cluster, self._address, self._project = cluster, address, project
        self._ended = threading.Event()
        self._threads = [
            threading.Thread(target=self._watched, args=(one,)) for one in (self._send, self._look)
        ]
        self._failures: list[Exception] = []
        self.stored: set[str] = set()
        self.slowest_answer = 0.0

    def __enter__(self) -> "Sender":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()
        if self._failures:
            raise self._failures[0]

    @property
    def stored_count(self) -> int:
        return len(self.stored)

    def wait_for(self, count: int, seconds: float = WITHIN_SECONDS) -> None:
        """Until so many are stored, or something went wrong, which the end tells."""
        with suppress(AssertionError):
            wait_until(lambda: bool(self._failures) or len(self.stored) >= count, seconds)
        assert self._failures or len(self.stored) >= count, (
            f"{len(self.stored)} of {count} deliveries were stored within {seconds:.0f} s"
        )

    def _watched(self, work: Any) -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001 (told at the end)
            self._failures.append(error)

    def _send(self) -> None:
        while not self._ended.is_set():
            lines = list(errors("MovedError"))
            while self._cluster.deliver(self._address, self._project.app_key, lines) != 200:
                if self._ended.wait(0.2):
                    return
            self.stored.add(id_of(lines[0]))
            time.sleep(0.05)

    def _look(self) -> None:
        while not self._ended.is_set():
            began, is_stored = time.monotonic(), bool(self.stored)
            shown = titles(self._cluster, self._address, self._project)
            assert shown or not is_stored, "the list of issues was empty although events are stored"
            self.slowest_answer = max(self.slowest_answer, time.monotonic() - began)
            time.sleep(0.1)


def one_project_a_shard(cluster: Nodes, address: str, shards: Sequence[int]) -> dict[int, Project]:
    """The first project and new ones, by shard."""
    made = [cluster.first, *(cluster.new_project(address, f"Project {number}") for number in shards[1:])]
    with cluster.store() as store:
        found = {store.shards.find(project.slug).shard: project for project in made}
    assert sorted(found) == sorted(shards), f"{len(made)} projects are on the shards {sorted(found)} only"
    return found


def project_on(cluster: Nodes, address: str, projects: Iterable[Project], shard: int) -> Project:
    """One of the projects that is on the shard, or a new one there."""
    made = (cluster.new_project(address, f"On shard {shard}") for _ in range(1))
    for project in itertools.chain(projects, made):
        with cluster.store() as store:
            if store.shards.find(project.slug).shard == shard:
                return project
    raise AssertionError(f"a new project isn't on shard {shard}, which has none")


Sent = Mapping[int, Sequence[Sequence[bytes]]]
"""Deliveries of each shard's project."""


def deliveries_of(shards: Iterable[int]) -> Sent:
    """Of the last days; half an hour from where periods begin, since the same is asked again later."""
    now = datetime.now(UTC)
    moments = [now - timedelta(hours=5 * number, minutes=30) for number in range(DELIVERIES)]
    return {
        number: [
            list(errors(*(f"Error{one % KINDS}" for one in range(LINES_A_DELIVERY)), at=at)) for at in moments
        ]
        for number in shards
    }


def deliver_thrice(
    cluster: Nodes,
    addresses: Sequence[str],
    projects: Mapping[int, Project],
    sent: Sent,
    chance: random.Random,
) -> None:
    """Each delivery three times, in any order and through any node."""
    waiting = [(projects[number], lines) for number in sent for lines in sent[number]] * TIMES
    chance.shuffle(waiting)
    refused = [
        status
        for turn, (project, lines) in enumerate(waiting)
        if (status := cluster.deliver(addresses[turn % len(addresses)], project.app_key, lines)) != 200
    ]
    assert not refused, (
        f"{len(refused)} of {len(waiting)} deliveries were refused with {sorted(set(refused))}"
    )


def each_event_counts_once(
    cluster: Nodes, addresses: Sequence[str], projects: Mapping[int, Project], sent: Sent
) -> None:
    for address in addresses:
        for number, project in projects.items():
            wanted, found = sum(map(len, sent[number])), counted(cluster, address, project)
            assert found == wanted, f"{project.slug} on shard {number} counts {found} events, not {wanted}"


def no_id_is_on_two_shards(
    cluster: Nodes, clients: Mapping[int, Warehouse], projects: Mapping[int, Project], sent: Sent
) -> None:
    """Of all events that the cluster has, whatever their project; and all that were sent are there."""
    seen: dict[str, int] = {}
    for number, client in clients.items():
        for item in {str(row["item_id"]) for row in client.rows(ITEMS_OF_ALL)}:
            assert item not in seen, f"{item} is on the shards {seen[item]} and {number}"
            seen[item] = number
    for number, deliveries in sent.items():
        wanted = {id_of(line) for lines in deliveries for line in lines}
        lost = [item for item in wanted if seen.get(item) != number]
        assert not lost, (
            f"{len(lost)} of {len(wanted)} events of {projects[number].slug} are not on shard {number}"
        )


def moves_under_load(
    cluster: Nodes, clients: Mapping[int, Warehouse], address: str, project: Project, to: int
) -> int:
    """The project is written and read meanwhile, and the shard that it moves to has everything. Returns how
    many events were stored meanwhile."""
    known = project_id(cluster, project)
    with cluster.store() as store:
        source = store.shards.of(known)
    before = held(clients[source], known)
    with Sender(cluster, address, project) as sender:
        sender.wait_for(20)
        said = cluster.run("-m", "errata", "cluster", "move", project.slug, "--to", f"{to}", succeeds=False)
        assert f"{project.slug} is on shard {to}" in said, said[-1000:]
        sender.wait_for(sender.stored_count + 20)
    slowest = sender.slowest_answer
    assert slowest < SLOWEST_ANSWER_SECONDS, f"the list of issues took {slowest:.1f} s"
    left, moved = held(clients[source], known), held(clients[to], known)
    lost, more = (before | sender.stored) - moved, moved - before - sender.stored
    assert not lost and not more, f"shard {to} lacks {len(lost)} events, and has {len(more)} that nobody sent"
    assert left < moved, "events were stored on the former shard after the move"
    return len(sender.stored)


def leaves_nothing_once_confirmed(
    cluster: Nodes, clients: Mapping[int, Warehouse], project: Project, source: int, to: int
) -> None:
    """A row that reaches the former shard late comes along."""
    known, late = project_id(cluster, project), uuid4()
    row = an_error_event(project_id=known, item_id=late, occurred_at=datetime.now(UTC))
    ingest = cluster.client(*cluster.places()[source], variable="ERRATA_WAREHOUSE_URL")
    ingest.insert_rows(EVENTS, [row])
    ingest.close()
    confirm = ("-m", "errata", "cluster", "confirm", project.slug)
    said = cluster.run(*confirm, succeeds=False)
    if "a write may be on its way" in said:
        time.sleep(SLACK.total_seconds())
        said = cluster.run(*confirm, succeeds=False)
    assert "deleted the rows" in said, said[-1000:]
    assert f"{late}" in held(clients[to], known), f"shard {to} lacks a row that came late"
    assert not held(clients[source], known), f"shard {source} still has rows of {project.slug}"
