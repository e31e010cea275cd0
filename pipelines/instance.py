"""Dagster's instance on one machine: SQLite, four runs at a time of different jobs, no telemetry."""

import os
from pathlib import Path

import dagster as dg
from dagster._core.instance.ref import InstanceRef
from dagster._serdes import ConfigurableClassData

from errata.backup.scratch import remove_leftover
from errata.settings import load
from errata.up.data_directory import DataDirectory
from pipelines.resources import STATE, StateResource
from pipelines.settings import PipelinesSettings

_CONFIGURATION = """\
telemetry:
  enabled: false
nux:
  enabled: false
concurrency:
  runs:
{runs}run_monitoring:
  enabled: true
  poll_interval_seconds: 60
  start_timeout_seconds: 900
  max_runtime_seconds: 21600
retention:
  schedule:
    purge_after_days: 7
  sensor:
    purge_after_days: {sensor}
"""

_RUNS = """\
    max_concurrent_runs: {count}
    tag_concurrency_limits:
      - key: errata/builds
        value:
          applyLimitPerUniqueValue: true
        limit: 1
"""
# A tick every ten seconds without a result is not worth keeping.
_TICKS = "{skipped: 1, success: 7, failure: 7, started: 7}"
# Dagster's pages end runs by it, whoever shows them.
_LAUNCHER = """\
run_launcher:
  module: pipelines.processes.launcher
  class: ForkingRunLauncher
"""
_FOUR_RUNS = _CONFIGURATION.replace("{runs}", _RUNS.replace("{count}", "4")).replace("{sensor}", _TICKS)
CONFIGURATION = _FOUR_RUNS + _LAUNCHER
# The file as earlier versions wrote it: with fewer runs at a time, and started by Dagster's own launcher.
WRITTEN_BEFORE = (
    *(
        _CONFIGURATION.replace("{runs}", runs).replace("{sensor}", "7")
        for runs in ("    max_concurrent_runs: 1\n", _RUNS.replace("{count}", "2"))
    ),
    _FOUR_RUNS,
)

UNFINISHED = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]
# A run reports itself as failed when a terminal or a service manager signals all processes, not only ours.
SIGNALED = dg.RunsFilter(
    statuses=[dg.DagsterRunStatus.FAILURE], tags={"dagster/failure_reason": "UNEXPECTED_TERMINATION"}
)


def write_instance(directory: Path) -> None:
    """Makes `directory` a DAGSTER_HOME; an operator's own file stays."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / "dagster.yaml"
    if not path.exists() or path.read_text() in WRITTEN_BEFORE:
        path.write_text(CONFIGURATION)


def end_interrupted_runs(instance: dg.DagsterInstance) -> int:
    """Cancels the runs that a stop interrupted: an open one would hold up the queue for ever, and a failed
    one would mark its assets and checks as failed."""
    records = [
        record
        for interrupted in (dg.RunsFilter(statuses=UNFINISHED), SIGNALED)
        for record in instance.get_run_records(interrupted)
    ]
    for record in records:
        instance.report_run_canceled(record.dagster_run, "The pipelines stopped during the run.")
    return len(records)


def reference_to(directory: Path) -> InstanceRef:
    """The instance of our own processes: runs are forked, and copy nothing they print while they go on. A
    launcher or manager of logs that an operator has chosen stays."""
    found = InstanceRef.from_dir(str(directory))
    launcher, logs = found.run_launcher_data, found.compute_logs_data
    if launcher is None or launcher.class_name == "DefaultRunLauncher":
        launcher = ConfigurableClassData("pipelines.processes.launcher", "ForkingRunLauncher", "{}\n")
    if logs.class_name == "LocalComputeLogManager":
        logs = ConfigurableClassData("pipelines.processes.output", "QuietLogManager", logs.config_yaml)
    return found._replace(run_launcher_data=launcher, compute_logs_data=logs)


def prepare(directory: Path, settings: PipelinesSettings) -> None:
    """What a start puts in order before anything runs."""
    with dg.DagsterInstance.from_config(str(directory)) as instance:
        end_interrupted_runs(instance)
    if settings.data is not None:
        remove_leftover(DataDirectory(settings.data), settings.backup_scratch)
    # The time without a build counts from here.
    StateResource(url=os.environ.get(STATE, "")).note_build()


def main() -> None:
    directory = Path(os.environ["DAGSTER_HOME"])
    write_instance(directory)
    prepare(directory, load(PipelinesSettings, os.environ))


if __name__ == "__main__":
    main()
