"""The pipelines as they run: their process, a real warehouse, and rows that nobody asks it to build."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from errata.warehouse.roles import Role
from tests.builders import insert
from tests.page_loads import loads
from tests.processes import WarehouseProcess

BUILT = """
    select sum(row_count) as row_count from errata_ops.builds where mart = 'page_metrics_daily'
"""
# A start of Dagster takes seconds of CPU, of which a busy machine has few.
WITHIN_SECONDS = 240


@pytest.fixture
def pipelines(warehouse: WarehouseProcess, tmp_path: Path) -> Iterator[Path]:
    """Their heartbeat."""
    heartbeat = tmp_path / "heartbeat"
    process = subprocess.Popen(
        [sys.executable, "-m", "pipelines"],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "DAGSTER_HOME": str(tmp_path / "dagster"),
            "ERRATA_WAREHOUSE_BUILD_URL": warehouse.url(Role.BUILD),
            "ERRATA_PIPELINES_HEARTBEAT_PATH": str(heartbeat),
        },
        cwd=Path(__file__).parent.parent.parent,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    yield heartbeat
    process.terminate()
    process.wait(60)


@pytest.mark.timeout(WITHIN_SECONDS + 120)
@pytest.mark.slow
def test_the_sensor_has_new_rows_built(warehouse: WarehouseProcess, pipelines: Path) -> None:
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
    while not pipelines.exists():
        assert time.monotonic() < deadline
        time.sleep(1)
