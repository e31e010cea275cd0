"""Many Dagster runs on PostgreSQL, in both forms that Dagster documents: connections, failures, CPU."""

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
from sqlalchemy import Engine, create_engine, make_url, text

from bench.figures import figure
from errata.warehouse.migrations import migrate
from errata.warehouse.roles import Role
from pipelines.__main__ import descendants
from pipelines.builder.build import build
from pipelines.instance import CONFIGURATION
from pipelines.marts.registry import MARTS
from pipelines.resources import BUILDS
from tests.mart_builds import FAST
from tests.postgres import FORMS, OF_DATABASE, PostgresServer, dagster_storage, find_binaries
from tests.processes import WarehouseProcess, free_port, start_warehouse

# Of these none shares a lease with another, so that four runs go on at a time.
ASSETS = ("delivery_daily", "repeated_events", "endpoint_metrics_daily", "resource_metrics_daily")
RUNS = 200
SAMPLED_EVERY_SECONDS = 0.2
STARTS_WITHIN_SECONDS = 180
TICKS = os.sysconf("SC_CLK_TCK")
LAUNCH = """
mutation ($run: ExecutionParams!) {
  launchRun(executionParams: $run) { __typename ... on PythonError { message } }
}
"""
COUNT = """
query ($filter: RunsFilter) { runsOrError(filter: $filter) { ... on Runs { count } } }
"""
MARK = "errata/bench"
FAILED = ["FAILURE", "CANCELED"]
ENDED = ["SUCCESS", *FAILED]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--form", choices=FORMS, action="append", help="one of them (default: both)")
    parser.add_argument("--minutes", type=float, default=60.0, help="at most, for each form")
    chosen = parser.parse_args()
    binaries = find_binaries()
    if binaries is None:
        sys.exit("no PostgreSQL server binary was found")
    postgres = PostgresServer(binaries)
    postgres.start()
    try:
        with tempfile.TemporaryDirectory(prefix="errata-bench-") as made:
            warehouse = start_warehouse(Path(made) / "data")
            try:
                _prepare(warehouse)
                for form in chosen.form or FORMS:
                    _measure(form, chosen, warehouse, postgres, Path(made) / form)
            finally:
                warehouse.stop()
    finally:
        postgres.stop()


def _prepare(warehouse: WarehouseProcess) -> None:
    """Days can be rebuilt once their marts were built."""
    admin = warehouse.client(Role.ADMIN)
    migrate(admin)
    admin.close()
    builder = warehouse.client(Role.BUILD)
    for mart in MARTS:
        build(builder, mart, FAST)
    builder.close()


def _measure(
    form: str,
    chosen: argparse.Namespace,
    warehouse: WarehouseProcess,
    postgres: PostgresServer,
    home: Path,
) -> None:
    url = postgres.create_database()
    home.mkdir()
    (home / "dagster.yaml").write_text(CONFIGURATION + dagster_storage(url, form))
    with _pipelines(warehouse, home) as (process, client), _connections(url) as sampled:
        at_rest = max(sampled)
        sampled.clear()
        cpu, began = _cpu_seconds(process.pid), time.monotonic()
        for number in range(chosen.runs):
            _launch(client, ASSETS[number % len(ASSETS)])
        while (ended := _ended(client)) < chosen.runs and time.monotonic() - began < chosen.minutes * 60:
            assert process.poll() is None
            time.sleep(1)
        seconds = time.monotonic() - began
        cpu = _cpu_seconds(process.pid) - cpu
        failed = _count(client, {"statuses": FAILED})
        own = _count(client, {"statuses": FAILED, "tags": [{"key": MARK, "value": "1"}]})
        in_all = _count(client, {"statuses": ENDED})
        facts = {"form": form, "runs": ended, "launched": chosen.runs}
        figure("connections_most", max(sampled), "connections", at_rest=at_rest, **facts)
        figure("connections_mean", sum(sampled) / len(sampled), "connections", samples=len(sampled), **facts)
        figure("failed_runs", own, "runs", of_all_jobs=failed, runs_of_all_jobs=in_all, **facts)
        figure("cpu_a_run", cpu / in_all, "s", runs_of_all_jobs=in_all, **facts)
        figure("seconds_a_run", seconds / in_all, "s", seconds=round(seconds), **facts)


@contextmanager
def _pipelines(
    warehouse: WarehouseProcess, home: Path
) -> Iterator[tuple["subprocess.Popen[bytes]", httpx2.Client]]:
    port = free_port()
    with (home / "pipelines.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "pipelines"],
            env={
                **os.environ,
                "DAGSTER_HOME": str(home),
                "ERRATA_WAREHOUSE_BUILD_URL": warehouse.url(Role.BUILD),
                "ERRATA_STATE_URL": f"sqlite:///{home / 'state.db'}",
                "ERRATA_PIPELINES_DAGSTER_PORT": str(port),
            },
            stdout=log,
            stderr=log,
        )
    client = httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=60)
    try:
        _wait_until_definitions_are_known(client, process)
        yield process, client
    finally:
        client.close()
        process.terminate()
        process.wait(60)


def _wait_until_definitions_are_known(client: httpx2.Client, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + STARTS_WITHIN_SECONDS
    while True:
        assert process.poll() is None and time.monotonic() < deadline, "Dagster did not start"
        try:
            found = _ask(client, "{ repositoriesOrError { ... on RepositoryConnection { nodes { name } } } }")
            if found["repositoriesOrError"].get("nodes"):
                return
        except (httpx2.TransportError, httpx2.HTTPStatusError):
            pass
        time.sleep(1)


def _launch(client: httpx2.Client, asset: str) -> None:
    tags = {"dagster/partition": datetime.now(UTC).date().isoformat(), BUILDS: asset, MARK: "1"}
    run = {
        "selector": {
            "repositoryLocationName": "pipelines.definitions",
            "repositoryName": "__repository__",
            "pipelineName": "__ASSET_JOB",
            "assetSelection": [{"path": ["errata_mart", asset]}],
            "assetCheckSelection": [],
        },
        "executionMetadata": {"tags": [{"key": key, "value": value} for key, value in tags.items()]},
    }
    launched = _ask(client, LAUNCH, {"run": run})["launchRun"]
    assert launched["__typename"] == "LaunchRunSuccess", launched


def _ended(client: httpx2.Client) -> int:
    return _count(client, {"statuses": ENDED, "tags": [{"key": MARK, "value": "1"}]})


def _count(client: httpx2.Client, runs: dict[str, Any]) -> int:
    return int(_ask(client, COUNT, {"filter": runs})["runsOrError"]["count"])


def _ask(client: httpx2.Client, query: str, variables: dict[str, Any] | None = None) -> dict[str, Any]:
    answer = client.post("/graphql", json={"query": query, "variables": variables or {}})
    answer.raise_for_status()
    document: dict[str, Any] = answer.json()
    assert "errors" not in document, document
    found: dict[str, Any] = document["data"]
    return found


@contextmanager
def _connections(url: str) -> Iterator[list[int]]:
    """Counts of connections to Dagster's database, sampled until the end; they begin with some."""
    dagster = make_url(url)
    watcher = create_engine(dagster.set(drivername="postgresql+psycopg2", database="postgres"))
    sampled, stopping = list[int](), threading.Event()
    thread = threading.Thread(target=_sample, args=(watcher, dagster.database, sampled, stopping))
    thread.start()
    try:
        time.sleep(5)
        yield sampled
    finally:
        stopping.set()
        thread.join()
        watcher.dispose()


def _sample(watcher: Engine, name: str | None, sampled: list[int], stopping: threading.Event) -> None:
    with watcher.connect() as connection:
        while not stopping.wait(SAMPLED_EVERY_SECONDS):
            sampled.append(int(connection.execute(text(OF_DATABASE), {"name": name}).scalar_one()))
            # Else the figures of one transaction stay the same.
            connection.rollback()


def _cpu_seconds(pid: int) -> float:
    """Of a process, of those it has started, and of those that have ended."""
    ticks = 0
    for each in (pid, *descendants([pid])):
        try:
            fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += sum(map(int, fields[11:15]))
    return ticks / TICKS


if __name__ == "__main__":
    main()
