"""Ten minutes of load on nodes apart from each other, with SIGKILL of each: a ClickHouse server, PostgreSQL,
two web nodes, one ingest node, the pipelines and three shippers.

What was lost or counted twice at any read, whether the limit of lines held over the three nodes, whether each
alert was told once, and who held the background jobs.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import urllib3
from sqlalchemy import create_engine, text

from bench.alerts import INSIDE, deliver_new_issue, hooked, tell_of_new_issues
from bench.figures import figure
from bench.kill import Reader, Writer, event_count, settled_after, start_shipper
from errata.state.database import parsed_url
from errata.warehouse.client import Warehouse
from errata.warehouse.roles import Role
from tests.bare_server import MigratedServer, migrated_server
from tests.postgres import PostgresServer, find_binaries
from tests.processes import free_port
from tests.service import ROOT, Service

WEB = ("web-1", "web-2")
ADDRESSES = (*WEB, "ingest")
EVENTS_A_SECOND = 70
# A little less than three shippers send.
LINES_PER_MINUTE = 9_600
PAUSE_SECONDS = (4.0, 12.0)
AWAY_SECONDS = 2.0
NEW_ISSUE_SECONDS = 20.0
READY_WITHIN_SECONDS = 90
# A message that was being sent is held for two minutes, and a job for one.
TOLD_WITHIN_SECONDS = 300
DAGSTER = "storage: {{postgres: {{postgres_url: {url}}}}}\ntelemetry: {{enabled: false}}\n"


@dataclass
class Part:
    """A process that can be killed and started again."""

    arguments: list[str]
    environment: Mapping[str, str]
    log: Path
    process: "subprocess.Popen[bytes]" = field(init=False)

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, *self.arguments], cwd=ROOT, env=self.environment, stdout=log, stderr=log
            )

    def kill(self) -> None:
        """With all that it started, as when its machine ends."""
        members = [psutil.Process(self.process.pid)]
        members += members[0].children(recursive=True)
        for member in members:
            try:
                member.kill()
            except psutil.NoSuchProcess:
                continue
        self.process.wait()


@dataclass
class Nodes:
    directory: Path
    server: MigratedServer
    state_url: str
    dagster_url: str
    ports: Mapping[str, int] = field(default_factory=lambda: {name: free_port() for name in ADDRESSES})
    parts: dict[str, Part] = field(default_factory=dict)

    def start(self) -> None:
        settings = {
            "ERRATA_WAREHOUSE_ADMIN_URL": self.server.url(Role.ADMIN),
            "ERRATA_WAREHOUSE_URL": self.server.url(Role.INGEST),
            "ERRATA_WAREHOUSE_BUILD_URL": self.server.url(Role.BUILD),
            "ERRATA_WAREHOUSE_READ_URL": self.server.url(Role.READ),
            "ERRATA_WAREHOUSE_ANALYST_URL": self.server.url(Role.ANALYST),
            "ERRATA_STATE_URL": self.state_url,
            "ERRATA_SECRET": "s" * 40,
            "ERRATA_API_LINES_PER_MINUTE": str(LINES_PER_MINUTE),
            **INSIDE,
        }
        environment = {**os.environ, **settings, "DAGSTER_HOME": str(self.directory / "dagster")}
        (self.directory / "dagster").mkdir()
        (self.directory / "dagster" / "dagster.yaml").write_text(DAGSTER.format(url=self.dagster_url))
        migrate = [sys.executable, "-m", "errata", "migrate", "--first-account", str(self.directory)]
        subprocess.run(migrate, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
        for name, port in self.ports.items():
            only = ["--ingest-only"] if name == "ingest" else []
            own = {**environment, "ERRATA_BASE_URL": self.address(name)}
            arguments = ["-m", "errata", "web", "--port", str(port), *only]
            self.parts[name] = Part(arguments, own, self.directory / f"{name}.log")
        self.parts["pipelines"] = Part(["-m", "pipelines"], environment, self.directory / "pipelines.log")
        for part in self.parts.values():
            part.start()

    def address(self, name: str) -> str:
        return f"http://127.0.0.1:{self.ports[name]}"

    def service(self, name: str) -> Service:
        """One node as a benchmark of one machine sees it."""
        keys = json.loads((self.directory / "credentials.json").read_text())
        return Service(self.directory, None, {**keys, "base_url": self.address(name)})  # type: ignore[arg-type]

    def warehouse(self) -> Warehouse:
        return Warehouse(self.server.url(Role.ADMIN))


class Watcher(threading.Thread):
    """Once a second: how far the stored lines are over the limit, and who holds the background jobs."""

    def __init__(self, nodes: Nodes) -> None:
        super().__init__(daemon=True)
        self.nodes = nodes
        self.most_over = -float(LINES_PER_MINUTE)
        self.holders: dict[str, list[str]] = {}
        self.stopping = threading.Event()

    def run(self) -> None:
        warehouse = self.nodes.warehouse()
        engine = create_engine(parsed_url(self.nodes.state_url))
        began = time.monotonic()
        while not self.stopping.wait(1):
            # The moment after the count allows more: so it is taken before.
            elapsed = time.monotonic() - began
            [row] = warehouse.rows("select count() as stored from errata_raw.error_events")
            allowed = LINES_PER_MINUTE * (1 + elapsed / 60)
            self.most_over = max(self.most_over, int(row["stored"]) - allowed)
            with engine.connect() as connection:
                for name, holder in connection.execute(text("select name, holder from jobs")):
                    known = self.holders.setdefault(name, [])
                    if known[-1:] != [holder]:
                        known.append(holder)
        warehouse.close()
        engine.dispose()


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.nodes")
    parser.add_argument("--minutes", type=float, default=10)
    chosen = parser.parse_args()
    heard = Counter[str]()
    with running() as nodes, hooked(lambda name: heard.update([name])) as (address, _):
        _measure(nodes, address, heard, chosen.minutes * 60)


def _measure(nodes: Nodes, address: str, heard: Counter[str], seconds: float) -> None:
    chance, told = random.Random(3), list[str]()
    tell_of_new_issues(nodes.service("web-1"), address)
    watcher = Watcher(nodes)
    watcher.start()
    writers, shippers = dict[str, Writer](), dict[str, subprocess.Popen[bytes]]()
    for name in ADDRESSES:
        logs = nodes.directory / f"host-{name}" / "logs"
        logs.mkdir(parents=True)
        writers[name] = Writer(logs, EVENTS_A_SECOND)
        shippers[name] = start_shipper(nodes.service(name), logs)

    def written() -> int:
        return len(told) + sum(writer.written for writer in writers.values())

    readers = [Reader(nodes.service(name), written) for name in WEB]
    for thread in (*writers.values(), *readers):
        thread.start()
    kills, began = Counter[str](), time.monotonic()
    while (elapsed := time.monotonic() - began) < seconds:
        if elapsed > NEW_ISSUE_SECONDS * len(told):
            told.append(f"Bench{len(told)}Error")
            deliver_new_issue(nodes.service("web-2"), told[-1])
        time.sleep(chance.uniform(*PAUSE_SECONDS))
        name = chance.choice((*ADDRESSES, *ADDRESSES, "pipelines", "shipper"))
        kills[name] += 1
        if name == "shipper":
            host = chance.choice(ADDRESSES)
            shippers[host].kill()
            shippers[host].wait()
            shippers[host] = start_shipper(nodes.service(host), writers[host].logs)
            continue
        nodes.parts[name].kill()
        time.sleep(AWAY_SECONDS)
        nodes.parts[name].start()
    for writer in writers.values():
        writer.stopping.set()
        writer.join()
    settled = [settled_after(nodes.service(name), written()) for name in WEB]
    while not heard.keys() >= set(told) and time.monotonic() - began < seconds + TOLD_WITHIN_SECONDS:
        time.sleep(1)
    for reader in readers:
        reader.stopping.set()
        reader.join()
    watcher.stopping.set()
    watcher.join()
    for shipper in shippers.values():
        shipper.terminate()
        shipper.wait(30)
    facts = {"kills": dict(kills), "seconds": seconds}
    for name in WEB:
        lost = written() - (event_count(nodes.service(name)) or 0)
        figure("nodes_events_lost", lost, "events", node=name, written=written(), **facts)
    for name, reader in zip(WEB, readers, strict=True):
        wrong = {"node": name, "reads": reader.reads, "wrong": reader.wrong[:5]}
        figure("nodes_wrong_reads", len(reader.wrong), "reads", **wrong)
        figure("nodes_unanswered_reads", reader.unanswered, "reads", node=name)
    figure("nodes_settled_after", max(settled), "s")
    figure("nodes_lines_over_the_limit", watcher.most_over, "lines", share=LINES_PER_MINUTE // 60)
    warehouse = nodes.warehouse()
    [row] = warehouse.rows(
        "select sum(item_count) as refused from errata_raw.outcomes where outcome = 'rate_limited'"
    )
    warehouse.close()
    figure("nodes_refused_deliveries", int(row["refused"]), "deliveries")
    unheard = [name for name in told if not heard[name]]
    figure("nodes_alerts_lost", len(unheard), "alerts", issues=len(told))
    figure("nodes_alerts_twice", sum(heard[name] > 1 for name in told), "alerts", issues=len(told))
    for job, holders in sorted(watcher.holders.items()):
        figure("nodes_takeovers", len(holders) - 1, "takeovers", job=job, nodes=len(set(holders)))


@contextmanager
def running() -> Iterator[Nodes]:
    binaries = find_binaries()
    assert binaries is not None, "install PostgreSQL"
    postgres = PostgresServer(binaries)
    postgres.start()
    with tempfile.TemporaryDirectory(prefix="errata-bench-") as made:
        directory = Path(made)
        server = migrated_server(directory / "server")
        nodes = Nodes(directory, server, postgres.create_database(), postgres.create_database())
        try:
            nodes.start()
            for name in ADDRESSES:
                _wait_until_healthy(nodes.address(name))
            yield nodes
        finally:
            for part in nodes.parts.values():
                part.kill()
            server.process.kill()
            server.process.wait()
            postgres.stop()


def _wait_until_healthy(address: str) -> None:
    deadline = time.monotonic() + READY_WITHIN_SECONDS
    while True:
        try:
            if urllib3.request("GET", f"{address}/api/health", retries=False, timeout=5).status == 200:
                return
        except urllib3.exceptions.HTTPError:
            pass
        assert time.monotonic() < deadline, f"{address} did not answer"
        time.sleep(0.2)


if __name__ == "__main__":
    main()
