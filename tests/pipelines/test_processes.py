"""The process that forks the daemon and runs: how runs end, and outlast a reload of the definitions."""

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import psutil
import pytest
from dagster._core.instance.ref import InstanceRef

from errata.state import Store
from errata.warehouse.roles import Role
from pipelines.builder.lease import Lease, Pace
from pipelines.instance import CONFIGURATION, reference_to, write_instance
from pipelines.marts.registry import PERFORMANCE
from pipelines.processes.launcher import ForkingRunLauncher
from pipelines.processes.requests import Act, Request, asked
from tests.builders import insert
from tests.page_loads import loads
from tests.pipelines.test_process import WITHIN_SECONDS, known_runs, start, state_url, wait_for_new_run
from tests.processes import WarehouseProcess

PROCESS_OF_RUN = re.compile(r"Started process for run \(pid: (\d+)\)")
PRINTS = """
import sys
from pipelines.processes.output import QuietLogManager
manager = QuietLogManager(sys.argv[1])
with manager.capture_logs(["some", "key"]):
    print("printed"), print("warned", file=sys.stderr)
data = manager.get_log_data(["some", "key"])
assert (data.stdout, data.stderr) == (b"printed\\n", b"warned\\n"), data
assert manager.is_capture_complete(["some", "key"])
"""


@contextmanager
def held_up(warehouse: WarehouseProcess) -> Iterator[None]:
    """Meanwhile, runs that build performance wait, for a minute for each mart."""
    builder = warehouse.client(Role.BUILD)
    with Lease(builder, [mart.name for mart in PERFORMANCE], "elsewhere", Pace()):
        yield
    builder.close()


def started_run(instance: dg.DagsterInstance, known: set[str]) -> str:
    """One that builds performance, which the sensor requested."""
    deadline = time.monotonic() + WITHIN_SECONDS
    wanted = dg.RunsFilter(job_name="refresh_performance", statuses=[dg.DagsterRunStatus.STARTED])
    while not (found := {run.run_id for run in instance.get_runs(wanted)} - known):
        assert time.monotonic() < deadline
        time.sleep(0.2)
    return found.pop()


def process_of(instance: dg.DagsterInstance, run_id: str) -> psutil.Process:
    said = " ".join(entry.message for entry in instance.all_logs(run_id))
    found = PROCESS_OF_RUN.search(said)
    assert found is not None, said
    return psutil.Process(int(found[1]))


def wait_for_status(instance: dg.DagsterInstance, run_id: str, status: dg.DagsterRunStatus) -> None:
    deadline = time.monotonic() + WITHIN_SECONDS
    while (run := instance.get_run_by_id(run_id)) is None or run.status != status:
        assert time.monotonic() < deadline, run
        time.sleep(0.2)


def daemon_of(process: "subprocess.Popen[bytes]", other_than: int = 0) -> int:
    deadline = time.monotonic() + WITHIN_SECONDS
    while True:
        for child in psutil.Process(process.pid).children():
            if child.name() == "daemon" and child.pid != other_than:
                return child.pid
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.2)


@pytest.mark.timeout(4 * WITHIN_SECONDS)
@pytest.mark.slow
def test_a_killed_run_fails_an_ended_one_is_canceled_and_one_outlasts_a_reload(
    warehouse: WarehouseProcess, tmp_path: Path
) -> None:
    home = tmp_path / "dagster"
    write_instance(home)
    with closing(Store.open(state_url(tmp_path), b"s" * 32)) as store:
        store.migrate()
    process = start(warehouse, tmp_path)
    try:
        with dg.DagsterInstance.from_config(str(home)) as instance:
            with held_up(warehouse):
                killed = started_run(instance, set())
                process_of(instance, killed).kill()
                wait_for_status(instance, killed, dg.DagsterRunStatus.FAILURE)
                said = [entry.message for entry in instance.all_logs(killed)]
                assert any("was terminated by signal 9 (SIGKILL)" in message for message in said)
                # As a person does on Dagster's pages.
                ended = started_run(instance, {killed})
                assert instance.run_launcher.terminate(ended)
                wait_for_status(instance, ended, dg.DagsterRunStatus.CANCELED)
                with suppress(psutil.NoSuchProcess):
                    process_of(instance, ended).wait(10)
                going_on = started_run(instance, {killed, ended})
                daemon, run = daemon_of(process), process_of(instance, going_on)
                assert asked(home, Request(Act.LOAD_ANEW))
                assert daemon_of(process, other_than=daemon) != daemon
                assert run.is_running() and run.ppid() == process.pid
            wait_for_status(instance, going_on, dg.DagsterRunStatus.SUCCESS)
            assert ended in known_runs(instance, dg.DagsterRunStatus.CANCELED)
            # What comes is built by the new daemon.
            now = datetime.now(UTC)
            rows = [row | {"received_at": now} for row in loads("shop@1.0", now - timedelta(hours=2), 3)]
            insert(warehouse.client(Role.INGEST), "errata_raw.page_views", rows)
            wait_for_new_run(instance, dg.DagsterRunStatus.SUCCESS, known_runs(instance))
    finally:
        process.terminate()
        assert process.wait(60) == 0


@pytest.mark.slow
def test_nobody_is_asked_where_no_pipelines_run(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="forks"):
        asked(tmp_path, Request(Act.LOAD_ANEW))
    write_instance(tmp_path)
    with dg.DagsterInstance.from_config(str(tmp_path)) as instance:
        assert isinstance(instance.run_launcher, ForkingRunLauncher)
        run = instance.create_run_for_job(a_job, status=dg.DagsterRunStatus.STARTED)
        assert not instance.run_launcher.terminate(run.run_id)
        (said,) = [
            entry.message
            for entry in instance.all_logs(run.run_id)
            if "No running pipelines" in entry.message
        ]
    assert "No running pipelines on this host can stop it: " in said


@dg.job
def a_job() -> None:
    return


def test_a_request_is_one_line() -> None:
    request = Request(Act.START_RUN, "7f0c", '{"a": "b\\nc"}')
    line = request.line()
    assert line.count(b"\n") == 1 and Request.of(line) == request


def classes(reference: InstanceRef) -> tuple[str, str]:
    assert reference.run_launcher_data is not None
    return reference.run_launcher_data.class_name, reference.compute_logs_data.class_name


def test_runs_are_forked_unless_an_operator_has_chosen_another_way(tmp_path: Path) -> None:
    path = tmp_path / "dagster.yaml"
    own = (
        "compute_logs:\n  module: dagster\n  class: LocalComputeLogManager\n  config: {base_dir: /srv/logs}\n"
    )
    others = (
        "run_launcher:\n  module: dagster._core.launcher.sync_in_memory_run_launcher\n"
        "  class: SyncInMemoryRunLauncher\ncompute_logs:\n"
        "  module: dagster._core.storage.noop_compute_log_manager\n  class: NoOpComputeLogManager\n"
    )
    path.write_text(CONFIGURATION)
    assert classes(reference_to(tmp_path)) == ("ForkingRunLauncher", "QuietLogManager")
    path.write_text(own)
    assert classes(reference_to(tmp_path)) == ("ForkingRunLauncher", "QuietLogManager")
    assert reference_to(tmp_path).compute_logs_data.config_dict == {"base_dir": "/srv/logs"}
    path.write_text(others)
    assert classes(reference_to(tmp_path)) == ("SyncInMemoryRunLauncher", "NoOpComputeLogManager")


@pytest.mark.slow
def test_what_a_run_prints_is_in_its_files_and_then_on_the_console(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRINTS, str(tmp_path)],
        env={"PYTHONPATH": ":".join(path for path in sys.path if path)},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("printed\n", "warned\n", 0)
