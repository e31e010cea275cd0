"""A cluster of shards by the wheel alone, beside one node.

`python -m bench.cluster answers` delivers the same three times to both, to the cluster in random order,
through two web nodes, while a shard is killed and started again; then every GET of REST must answer the same
but for moments of receipt, bytes and ports, and no item may be on two shards.

`python -m bench.cluster cost --shards 1,2,4` has as many projects as shards, stores events of each, 1,000
rows an insert, and lists its issues: the CPU of the busiest shard, by event and by list of all, and how long
a list takes.
"""

import argparse
import json
import random
import re
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import quantiles
from typing import Any
from uuid import UUID, uuid4

import psutil

from api.ingest.item import Rows
from bench.answers import asked, differences, requested, steady
from bench.figures import figure
from errata.period import Period
from errata.state import Store
from errata.warehouse.client import Warehouse
from errata.warehouse.migrations import migrate
from errata.warehouse.queries.issues.filters import IssueFilters
from errata.warehouse.queries.issues.list import issues_of_project
from errata.warehouse.roles import Role
from errata.warehouse.shards import Shards
from pipelines.builder.lease import Pace
from tests.captured_errors import captured_errors
from tests.captures import payloads
from tests.cluster import SECRET, Cluster, Nodes, Project
from tests.errata.test_server_page import lines as page_loads
from tests.processes import start_warehouse
from tests.shards import ShardedProcess, start_shards

NAMES = ("Second", "Third", "Fourth")
EVENTS = 200
LINES_A_DELIVERY = 40
TIMES = 3
KILLS = 2
DOWN_SECONDS = 3.0
# Files of CSV have moments of receipt, too.
OF_THE_NODE = re.compile(r"/metrics|/dsns|format=csv")
OF_RECEIPT = re.compile(r"received|byte|busiest")
ROUNDS, ROWS_AN_INSERT, LISTS = 100, 1000, 40
MERGED_WITHIN_SECONDS = 20
ITEMS = "select item_id from errata_raw.error_events"


@dataclass(frozen=True)
class Asked:
    """As much of a service as `bench.answers` needs."""

    credentials: Mapping[str, str]


Delivery = tuple[Project, Sequence[bytes]]


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.cluster")
    commands = parser.add_subparsers(dest="command", required=True)
    of_answers = commands.add_parser("answers")
    of_answers.add_argument("--events", type=int, default=EVENTS, help="of each project")
    of_answers.add_argument("--seed", type=int, default=0)
    of_cost = commands.add_parser("cost")
    of_cost.add_argument("--shards", type=_numbers, default=[1, 2, 4])
    of_cost.add_argument("--rounds", type=int, default=ROUNDS, help="inserts of each project")
    chosen = parser.parse_args()
    if chosen.command == "cost":
        for count in chosen.shards:
            with tempfile.TemporaryDirectory(prefix="errata-cluster-") as folder:
                cost(Path(folder), count, chosen.rounds)
        return
    with tempfile.TemporaryDirectory(prefix="errata-cluster-") as folder:
        sys.exit(min(1, answers(Path(folder), chosen.events, chosen.seed)))


def answers(folder: Path, event_count: int, seed: int) -> int:
    """The count of answers that differ, and of items that are lost, doubled or on two shards."""
    chance = random.Random(seed)
    with ExitStack() as ending:
        one = Cluster(folder / "one", start_warehouse(folder / "warehouse"))
        ending.callback(one.shards.stop)
        one.migrate()
        with one.web() as address:
            projects = [one.first, *(one.new_project(address, name) for name in NAMES)]
        shards = start_shards([folder / "1", folder / "2"])
        ending.callback(shards.stop)
        cluster = _with_same_accounts(one, Cluster(folder / "cluster", shards), projects)
        deliveries = list(_deliveries(projects, event_count))
        with one.web() as address:
            for project, lines in deliveries * TIMES:
                assert one.deliver(address, project.app_key, lines) == 200
            build(one)
            before = rest_answers(one, address, projects[:2])
        with cluster.web("first") as first, cluster.web("second") as second:
            _deliver_thrice(cluster, [first, second], deliveries, chance)
            build(cluster)
            after = rest_answers(cluster, second, projects[:2])
        wrong = 0
        for path in before.keys() | after.keys():
            found = list(differences(before.get(path), after.get(path), ""))
            wrong += bool(found)
            for line in found[:3]:
                sys.stdout.write(f"{path}: {line}\n")
        figure("cluster_answers_that_differ", wrong, "answers", answers=len(before))
        return wrong + _items_amiss(one, shards)


def _with_same_accounts(one: Cluster, cluster: Cluster, projects: Sequence[Project]) -> Cluster:
    """The cluster with a copy of the accounts, where every other project is on the second shard."""
    shutil.copytree(one.directory, cluster.directory)
    with closing(cluster.shards.client(Role.ADMIN)) as admin:
        for shard in admin.shards():
            migrate(shard)
    with closing(Store.open(cluster.settings["ERRATA_STATE_URL"], SECRET.encode())) as store:
        store.shards.add([1, 2])
        for project in projects[1::2]:
            place = store.shards.find(project.slug)
            store.shards.move(place.id, 2)
            store.shards.forget_left(place.id)
    return cluster


def _deliveries(projects: Sequence[Project], event_count: int) -> Iterator[Delivery]:
    now = datetime.now(UTC)
    for number, project in enumerate(projects):
        lines = list(_errors(number, event_count, now))
        for first in range(0, len(lines), LINES_A_DELIVERY):
            yield project, lines[first : first + LINES_A_DELIVERY]
        yield project, list(page_loads(project.app_key))


def _errors(project: int, event_count: int, now: datetime) -> Iterator[bytes]:
    events = list(payloads("python_errors"))
    for number in range(event_count):
        at = now - timedelta(minutes=37 * number % 9000, seconds=90)
        payload = {
            **events[(number * number + project) % len(events)],
            "event_id": UUID(int=project << 64 | number + 1).hex,
            "timestamp": at.isoformat(),
            "release": f"shop@{1 + number % 3}.0",
            "environment": "staging" if number % 5 == 0 else "production",
            "user": {"id": f"{number % 41}"},
        }
        yield json.dumps({"type": "event", "logged_at": at.isoformat(), "payload": payload}).encode()


def build(service: Nodes) -> None:
    """Everything that was delivered."""
    time.sleep(Pace.lag.total_seconds() + 1)
    service.build()


def _deliver_thrice(
    cluster: Cluster, addresses: Sequence[str], deliveries: Sequence[Delivery], chance: random.Random
) -> None:
    waiting = list(deliveries) * TIMES
    chance.shuffle(waiting)
    kills = sorted(chance.sample(range(len(waiting)), KILLS))
    refused = 0
    for number, (project, lines) in enumerate(waiting):
        if number in kills:
            threading.Thread(target=_killed, args=(cluster.shards, chance.choice((0, 1)))).start()
        while cluster.deliver(chance.choice(addresses), project.app_key, lines) != 200:
            refused += 1
            time.sleep(0.2)
    figure("cluster_deliveries", len(waiting), "deliveries", kills=KILLS, refused=refused)


def _killed(shards: ShardedProcess, number: int) -> None:
    """Kills a shard, and starts it again after a while."""
    shards.members[number].process.kill()
    shards.members[number].process.wait()
    time.sleep(DOWN_SECONDS)
    shards.start_again(number)


def rest_answers(service: Nodes, address: str, projects: Sequence[Project]) -> dict[str, Any]:
    """Every answer about these projects, without what changes with the moment."""
    found: dict[str, Any] = {}
    for project in projects:
        of_project = Asked({**service.credentials, "base_url": address, "project": project.slug})
        for path in dict.fromkeys(path for path in asked(of_project) if not OF_THE_NODE.search(path)):
            answer = requested(of_project, "GET", path)
            body: Any = answer.data.decode("utf-8", "replace")
            if "application/json" in answer.headers.get("content-type", ""):
                body = _without_receipt(steady(json.loads(body)))
            found[path] = {"status": answer.status, "body": body}
    return found


def _without_receipt(value: Any) -> Any:
    """When it came, and how many bytes that took, is another thing on each."""
    if isinstance(value, dict):
        return {name: _without_receipt(each) for name, each in value.items() if not OF_RECEIPT.search(name)}
    return [_without_receipt(each) for each in value] if isinstance(value, list) else value


def _items_amiss(one: Cluster, shards: ShardedProcess) -> int:
    wanted, *held = (
        {row["item_id"] for row in member.client(Role.ADMIN).rows(ITEMS)}
        for member in (one.shards, *shards.members)
    )
    on_two, lost = held[0] & held[1], wanted - set().union(*held)
    figure("cluster_items_lost", len(lost), "items", items=len(wanted))
    figure("cluster_items_on_two_shards", len(on_two), "items")
    return len(on_two) + len(lost)


@dataclass(frozen=True)
class EachOnItsOwn:
    """Project 1 is on the first shard, project 2 on the second, and so on."""

    def of(self, project_id: int) -> int:
        return project_id

    def is_held(self, project_id: int) -> bool:
        return False


def cost(folder: Path, count: int, rounds: int) -> None:
    shards = start_shards([folder / f"{number}" for number in range(1, count + 1)])
    try:
        with closing(shards.client(Role.ADMIN)) as admin:
            for shard in admin.shards():
                migrate(shard)
        topology, places = shards.topology(), EachOnItsOwn()
        ingest = Shards(shards.url(Role.INGEST), topology, places, Warehouse)
        read = Shards(shards.url(Role.READ), topology, places, Warehouse)
        projects = range(1, count + 1)
        rows = {project_id: captured_errors(ingest, project_id) for project_id in projects}
        processes = [psutil.Process(member.process.pid) for member in shards.members]
        events = rounds * ROWS_AN_INSERT * count
        with _busiest(processes, "event", events, count):
            for number in range(rounds):
                for project_id in projects:
                    _insert(ingest, rows[project_id], first=number == 0)
            # Merges of what was inserted belong to it.
            time.sleep(MERGED_WITHIN_SECONDS)
        filters = IssueFilters(Period("90d").of_events(datetime.now(UTC)))
        with _busiest(processes, "list", LISTS * count, count):
            took = []
            for _ in range(LISTS):
                for project_id in projects:
                    began = time.perf_counter()
                    issues_of_project(read, project_id, filters)
                    took.append(1000 * (time.perf_counter() - began))
        figure("cluster_list_p95", round(quantiles(took, n=20)[-1], 1), "ms", shards=count)
    finally:
        shards.stop()


def _insert(ingest: Shards, tables: Rows, *, first: bool) -> None:
    """A thousand captured events with ids of their own; the first time with what records their variants."""
    for table, rows in tables.items():
        if table == "errata_raw.error_events":
            many = [rows[number % len(rows)] | {"item_id": str(uuid4())} for number in range(ROWS_AN_INSERT)]
            ingest.insert_rows(table, many)
        elif first:
            ingest.insert_rows(table, rows)


@contextmanager
def _busiest(processes: Sequence[psutil.Process], unit: str, count: int, shards: int) -> Iterator[None]:
    before = [process.cpu_times() for process in processes]
    yield
    after = [process.cpu_times() for process in processes]
    seconds = [
        now.user + now.system - then.user - then.system for then, now in zip(before, after, strict=True)
    ]
    busiest = max(seconds) / count * 1000
    figure(f"cluster_cpu_of_busiest_shard_{unit}", busiest, "ms", shards=shards, count=count)


def _numbers(text: str) -> list[int]:
    return list(map(int, text.split(",")))


if __name__ == "__main__":
    main()
