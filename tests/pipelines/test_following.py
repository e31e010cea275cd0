"""Partitions follow older rows while the server of the definitions goes on, by Dagster's own processes."""

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import GrpcServerTarget

from errata.warehouse.roles import Role
from pipelines.__main__ import PATIENCE, commands
from pipelines.assets.sql import asset_key
from pipelines.marts.registry import VARIANT_HOURLY
from tests.builders import an_error_event, insert
from tests.mart_builds import build_marts
from tests.processes import WarehouseProcess

TODAY = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
WITHIN_SECONDS = 240
NAME = "pipelines.definitions"


@pytest.fixture
def workspace(warehouse: WarehouseProcess, tmp_path: Path) -> Iterator[WorkspaceProcessContext]:
    """What a page or the daemon keeps of a code server that goes on."""
    state = f"sqlite:///{tmp_path / 'state.db'}"
    build = {"ERRATA_WAREHOUSE_BUILD_URL": warehouse.url(Role.BUILD), "ERRATA_STATE_URL": state}
    with tempfile.TemporaryDirectory(prefix="errata-") as directory:
        server = subprocess.Popen(
            commands(Path(directory), dagster_port=1)["code"],
            env={**os.environ, **PATIENCE, **build, "DAGSTER_HOME": str(tmp_path)},
        )
        socket = Path(directory) / "code.sock"
        target = GrpcServerTarget(host="localhost", port=None, socket=str(socket), location_name=NAME)
        try:
            deadline = time.monotonic() + WITHIN_SECONDS
            while not socket.exists():
                assert server.poll() is None and time.monotonic() < deadline
                time.sleep(0.2)
            with (
                dg.DagsterInstance.local_temp(str(tmp_path)) as instance,
                WorkspaceProcessContext(instance, target) as found,
            ):
                yield found
        finally:
            server.terminate()
            server.wait(60)


def first_partition(workspace: WorkspaceProcessContext) -> str:
    (repository,) = workspace.create_request_context().get_code_location(NAME).get_repositories().values()
    node = repository.get_asset_node_snap(asset_key(VARIANT_HOURLY.table))
    assert node is not None and node.partitions is not None
    return str(node.partitions.get_partitions_definition().get_first_partition_key())


def tick(workspace: WorkspaceProcessContext) -> str:
    location = workspace.create_request_context().get_code_location(NAME)
    (repository,) = location.get_repositories().values()
    done = location.get_sensor_execution_data(
        workspace.instance, repository.handle, "earlier_rows", None, None, None, None, None
    )
    return str(done.skip_message)


def build_rows_of(warehouse: WarehouseProcess, day: datetime) -> None:
    row = an_error_event(occurred_at=day, received_at=datetime.now(UTC))
    insert(warehouse.client(Role.INGEST), "errata_raw.error_events", [row])
    build_marts(warehouse, VARIANT_HOURLY.name)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_partitions_begin_with_older_rows_without_a_restart(
    warehouse: WarehouseProcess, workspace: WorkspaceProcessContext
) -> None:
    # Without rows, the oldest day that could be built.
    assert first_partition(workspace) < f"{TODAY - timedelta(days=30):%Y-%m-%d}"
    for days_ago in (4, 9):
        first = TODAY - timedelta(days=days_ago)
        build_rows_of(warehouse, first)
        assert tick(workspace).startswith("reloaded: ")
        deadline = time.monotonic() + WITHIN_SECONDS
        while first_partition(workspace) != f"{first:%Y-%m-%d}":
            assert time.monotonic() < deadline
            time.sleep(0.5)
        assert tick(workspace) == "partitions begin with the first rows"
