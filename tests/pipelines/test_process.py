"""The pipelines as they run: their process, a real warehouse, and rows that nobody asks it to build."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import psutil
import pytest

from api.heartbeat import heartbeat_check
from errata.state import Store
from errata.warehouse.roles import Role
from pipelines.__main__ import PATIENCE
from pipelines.instance import write_instance
from tests.builders import insert
from tests.page_loads import loads
from tests.processes import WarehouseProcess, free_port

BUILT = """
    select sum(row_count) as row_count from errata_ops.builds where mart = 'page_metrics_daily'
"""
# A start of Dagster takes seconds of CPU, of which a busy machine has few.
WITHIN_SECONDS = 240


def start(warehouse: WarehouseProcess, directory: Path, dagster_port: int = 0) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "pipelines"],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "DAGSTER_HOME": str(directory / "dagster"),
            "ERRATA_WAREHOUSE_BUILD_URL": warehouse.url(Role.BUILD),
            "ERRATA_PIPELINES_ALIVE_PATH": str(directory / "alive"),
            "ERRATA_STATE_URL": state_url(directory),
            "ERRATA_PIPELINES_DAGSTER_PORT": str(dagster_port),
        },
        cwd=Path(__file__).parent.parent.parent,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def state_url(directory: Path) -> str:
    return f"sqlite:///{directory / 'state.db'}"


@pytest.fixture
def pipelines(warehouse: WarehouseProcess, tmp_path: Path) -> Iterator[Store]:
    """The store that has their heartbeats."""
    store = Store.open(state_url(tmp_path), b"s" * 32)
    store.migrate()
    process = start(warehouse, tmp_path)
    yield store
    process.terminate()
    process.wait(60)
    store.close()


@pytest.mark.timeout(WITHIN_SECONDS + 120)
@pytest.mark.slow
def test_the_sensor_has_new_rows_built_and_others_see_that(
    warehouse: WarehouseProcess, pipelines: Store, tmp_path: Path
) -> None:
    received_at = datetime.now(UTC) - timedelta(minutes=2)
    rows = loads("shop@1.0", received_at - timedelta(days=8), 5)
    rows = [row | {"received_at": received_at} for row in rows]
    insert(warehouse.client(Role.INGEST), "errata_raw.page_views", rows)
    builder = warehouse.client(Role.BUILD)
    deadline = time.monotonic() + WITHIN_SECONDS
    while not builder.rows(BUILT)[0]["row_count"]:
        assert time.monotonic() < deadline
        time.sleep(1)
    builder.close()
    check = heartbeat_check(pipelines, is_expected=True)
    while check() != "ok":
        assert time.monotonic() < deadline
        time.sleep(1)
    (known,) = pipelines.heartbeats.all()
    assert known.host == socket.gethostname() and (tmp_path / "alive").exists()


def wait_for_new_run(instance: dg.DagsterInstance, status: dg.DagsterRunStatus, known: set[str]) -> None:
    deadline = time.monotonic() + WITHIN_SECONDS
    while not known_runs(instance, status) - known:
        assert time.monotonic() < deadline
        time.sleep(0.1)


def known_runs(instance: dg.DagsterInstance, *statuses: dg.DagsterRunStatus) -> set[str]:
    return {run.run_id for run in instance.get_runs(dg.RunsFilter(statuses=statuses))}


@pytest.mark.timeout(3 * WITHIN_SECONDS + 120)
@pytest.mark.slow
def test_a_stop_during_a_build_ends_its_processes_and_is_no_failure(
    warehouse: WarehouseProcess, tmp_path: Path
) -> None:
    write_instance(tmp_path / "dagster")
    with dg.DagsterInstance.from_config(str(tmp_path / "dagster")) as instance:
        # As `errata up` stops them, and as a service manager does, which signals every process.
        for stop, dagster_port in ((os.kill, 0), (os.killpg, free_port())):
            known = known_runs(instance)
            process = start(warehouse, tmp_path, dagster_port)
            wait_for_new_run(instance, dg.DagsterRunStatus.STARTED, known)
            children = psutil.Process(process.pid).children()
            assert {"daemon", "run"} <= {child.name() for child in children}
            # Dagster's pages and the server of definitions that they ask.
            showing = [child for child in children if child.name().startswith("dagster")]
            assert len(showing) == (2 if dagster_port else 0)
            assert all(PATIENCE.items() <= child.environ().items() for child in showing)
            others = psutil.Process(process.pid).children(recursive=True)
            stop(process.pid, signal.SIGTERM)
            assert process.wait(10) == 0
            assert psutil.wait_procs(others, timeout=5)[1] == []
        process = start(warehouse, tmp_path)
        wait_for_new_run(instance, dg.DagsterRunStatus.SUCCESS, known=set())
        process.terminate()
        process.wait(10)
        ended = [run.status for run in instance.get_runs() if run.is_finished]
        assert set(ended) == {dg.DagsterRunStatus.CANCELED, dg.DagsterRunStatus.SUCCESS}
