"""Keeps Dagster's storage small: a run leaves 200 KB, most of it in a file of its own."""

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg

ENDED = [dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]


def prune(instance: dg.DagsterInstance, before: datetime) -> int:
    """Deletes runs that ended and were created before, with their files, and says how many."""
    records = instance.get_run_records(dg.RunsFilter(statuses=ENDED, created_before=before))
    for record in records:
        run_id = record.dagster_run.run_id
        instance.delete_run(run_id)
        for path in run_files(Path(instance.root_directory), run_id):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return len(records)


def run_files(root: Path, run_id: str) -> list[Path]:
    """What deleting a run leaves behind in SQLite storage."""
    return [*root.glob(f"history/runs/{run_id}.db*"), *root.glob(f"storage/{run_id}")]


def prune_job(keep_days: int) -> dg.JobDefinition:
    @dg.op(name="prune_runs_before")
    def prune_op(context: dg.OpExecutionContext) -> None:
        before = datetime.now(UTC) - timedelta(days=keep_days)
        count = prune(context.instance, before)
        context.log.info(f"deleted {count} runs of before {before:%Y-%m-%d}")

    @dg.job(
        name="prune_runs",
        executor_def=dg.in_process_executor,
        description=f"Deletes runs older than {keep_days} days.",
    )
    def prune_runs() -> None:
        prune_op()

    return prune_runs
