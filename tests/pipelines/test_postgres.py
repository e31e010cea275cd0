"""Dagster keeps its runs in PostgreSQL, in both forms of configuration that it documents."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
import pytest
from sqlalchemy import create_engine, make_url, text

from errata.warehouse.roles import Role
from pipelines.instance import CONFIGURATION
from tests.postgres import FORMS, OF_DATABASE, PostgresServer, dagster_storage
from tests.processes import WarehouseProcess

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
WITHIN_SECONDS = 240
# The daemon, the server of the definitions, and runs that end: each holds a few while it asks.
MOST_CONNECTIONS = 40


@contextmanager
def pipelines(warehouse: WarehouseProcess, directory: Path) -> Iterator[None]:
    process = subprocess.Popen(
        [sys.executable, "-m", "pipelines"],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "DAGSTER_HOME": str(directory),
            "ERRATA_WAREHOUSE_BUILD_URL": warehouse.url(Role.BUILD),
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
        assert process.poll() is None
    finally:
        process.terminate()
        process.wait(60)


@pytest.mark.parametrize("form", FORMS)
def test_runs_are_kept_in_postgres_and_connections_are_few(
    form: str, warehouse: WarehouseProcess, postgres: PostgresServer, tmp_path: Path
) -> None:
    url = postgres.create_database()
    (tmp_path / "dagster.yaml").write_text(CONFIGURATION + dagster_storage(url, form))
    engine = create_engine(make_url(url).set(drivername="postgresql+psycopg2"))
    most = 0
    with pipelines(warehouse, tmp_path), dg.DagsterInstance.from_config(str(tmp_path)) as instance:
        deadline = time.monotonic() + WITHIN_SECONDS
        finished = dg.RunsFilter(statuses=[dg.DagsterRunStatus.SUCCESS])
        while not instance.get_runs_count(finished):
            assert time.monotonic() < deadline
            with engine.connect() as connection:
                most = max(
                    most, connection.execute(text(OF_DATABASE), {"name": engine.url.database}).scalar_one()
                )
            time.sleep(1)
    engine.dispose()
    assert 0 < most < MOST_CONNECTIONS
