"""A mart added by the files that docs/add-a-mart.md names: on an empty and on an existing data directory."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from errata.warehouse.roles import Role
from tests.mart_builds import let_bound_take_hold
from tests.processes import WarehouseProcess, start_warehouse

ROOT = Path(__file__).parent.parent.parent
FILES = Path(__file__).parent.parent / "data" / "example_mart"
ENTRY = """
CALLS_BY_SERVICE = Mart(
    name="calls_by_service",
    dirty="dirty_days_of_requests",
    column="day",
    raw="errata_raw.requests",
)
"""
PREPARE = """
import sys
from errata.warehouse.client import Warehouse
from errata.warehouse.migrations import migrate

migrate(Warehouse(sys.argv[1]))
"""
BUILD = """
import sys
from errata.warehouse.client import Warehouse
from pipelines.builder.build import build
from pipelines.marts.registry import CALLS_BY_SERVICE

build(Warehouse(sys.argv[2]), CALLS_BY_SERVICE)
"""
# As a page and as an analyst do.
READ = """
import json, sys
from errata.warehouse.client import Warehouse

_, _, reader, analyst = map(Warehouse, sys.argv[1:])
question = "select service, call_count from errata_mart.calls_by_service where day > {since:Date}"
page = reader.rows(question, {"projects": [7], "since": "2020-01-01"})
view = analyst.rows("select project_id, service, call_count from errata_analysis.calls_by_service")
described = analyst.rows("describe table errata_analysis.calls_by_service")
states = analyst.rows("select uniqMerge(users) as users from errata_analysis.calls_by_service_states")
print(json.dumps([page, view, {row["name"]: row["comment"] for row in described}, states]))
"""
ROLES = (Role.ADMIN, Role.BUILD, Role.READ, Role.ANALYST)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A copy of the program with one more mart."""
    for folder in ("errata", "pipelines", "warehouse_sql"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, tmp_path / "program" / folder, ignore=ignored)
    copy = tmp_path / "program"
    shutil.copy(FILES / "mart.sql", copy / "warehouse_sql/marts/calls_by_service.sql")
    shutil.copy(FILES / "check.sql", copy / "warehouse_sql/checks/calls_by_service.sql")
    registry = copy / "pipelines/marts/registry.py"
    text = registry.read_text().replace("\nERRORS = (", f"{ENTRY}\nERRORS = (")
    registry.write_text(text.replace("    DELIVERY_DAILY,\n", "    DELIVERY_DAILY,\n    CALLS_BY_SERVICE,\n"))
    return copy


@contextmanager
def started(data: Path, program: Path) -> Iterator[WarehouseProcess]:
    running = start_warehouse(data, program=program)
    try:
        run(program, PREPARE, running)
        yield running
    finally:
        running.stop()


def run(program: Path, script: str, running: WarehouseProcess) -> str:
    """The output of a script that a process of this program runs."""
    done = subprocess.run(
        [sys.executable, "-c", script, *map(running.url, ROLES)],
        env={**os.environ, "PYTHONPATH": f"{program}"},
        cwd=program,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def deliver(running: WarehouseProcess) -> None:
    moment = datetime.now(UTC) - timedelta(minutes=2)
    call = {
        "project_id": 7,
        "service": "api",
        "occurred_at": f"{moment:%F %T}",
        "received_at": f"{moment:%F %T}",
    }
    ingest = running.client(Role.INGEST)
    ingest.insert_rows(
        "errata_raw.requests", [{**call, "item_id": str(uuid4()), "user_hash": user} for user in (1, 2, 2)]
    )
    ingest.close()


@pytest.mark.slow
@pytest.mark.parametrize("is_upgrade", [False, True], ids=["empty", "existing"])
def test_a_new_mart_is_read_by_pages_and_analysts_after_its_first_build(
    program: Path, tmp_path: Path, is_upgrade: bool
) -> None:
    data = tmp_path / "data"
    if is_upgrade:
        with started(data, ROOT) as running:
            deliver(running)
    with started(data, program) as running:
        if not is_upgrade:
            deliver(running)
        run(program, BUILD, running)
        let_bound_take_hold(running)
        page, view, comments, states = json.loads(run(program, READ, running))
    assert page == [{"service": "api", "call_count": 3}]
    assert view == [{"project_id": 7, "service": "api", "call_count": 3}]
    assert states == [{"users": 2}]
    assert (
        comments.keys().isdisjoint({"users", "version"})
        and comments["call_count"] == "calls, each counted once"
    )
