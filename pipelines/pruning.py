"""Keeps Dagster's storage small: a run leaves 200 KB, most of them in a file of its own."""

import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg

from errata.settings import load
from pipelines.resources import BUILDS
from pipelines.settings import PipelinesSettings

KEEP_ROUTINE = timedelta(hours=3)
ENDED = [dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]


def prune(instance: dg.DagsterInstance, before: datetime, routine_before: datetime | None = None) -> int:
    """Deletes ended runs created before a moment, with their files, and returns their count.

    `routine_before` is the moment for successful runs by the clock, about a thousand a day. Partitions built
    by deleted runs stay materialized in Dagster's pages, by an event that belongs to no run.
    """
    ended = instance.get_run_records(
        dg.RunsFilter(statuses=ENDED, created_before=max(before, routine_before or before))
    )
    records = [one for one in ended if one.create_timestamp < before or _is_routine(one.dagster_run)]
    built = {pair for record in records for pair in _partitions(instance, record.dagster_run.run_id)}
    for record in records:
        run_id = record.dagster_run.run_id
        instance.delete_run(run_id)
        for path in run_files(Path(instance.root_directory), run_id):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for key in {key for key, _ in built}:
        known = instance.get_materialized_partitions(key)
        for partition in sorted(name for other, name in built if other == key and name not in known):
            instance.report_runless_asset_event(dg.AssetMaterialization(key, partition=partition))
    return len(records)


def _is_routine(run: dg.DagsterRun) -> bool:
    return BUILDS in run.tags and run.is_success


def _partitions(instance: dg.DagsterInstance, run_id: str) -> Iterator[tuple[dg.AssetKey, str]]:
    for entry in instance.all_logs(run_id, of_type=dg.DagsterEventType.ASSET_MATERIALIZATION):
        event = entry.get_dagster_event()
        if event.asset_key and event.partition:
            yield event.asset_key, event.partition


def run_files(root: Path, run_id: str) -> list[Path]:
    """Files that a deletion of the run leaves behind in SQLite storage."""
    return [*root.glob(f"history/runs/{run_id}.db*"), *root.glob(f"storage/{run_id}")]


@dg.op
def prune_old_runs(context: dg.OpExecutionContext) -> None:
    now, days = datetime.now(UTC), load(PipelinesSettings, os.environ).keep_runs_days
    count = prune(context.instance, now - timedelta(days=days), now - KEEP_ROUTINE)
    context.log.info(f"deleted {count} runs")


@dg.job(
    executor_def=dg.in_process_executor,
    description="Deletes runs older than ERRATA_PIPELINES_KEEP_RUNS_DAYS.",
)
def prune_runs() -> None:
    prune_old_runs()
