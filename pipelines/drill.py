"""The restore drill as a job: the command does it, in a process of its own that ends with the run."""

import os
import subprocess
import sys
from collections.abc import Sequence

import dagster as dg

from errata.settings import load
from pipelines.settings import PipelinesSettings

STOPS_WITHIN_SECONDS = 90


@dg.op
def restore_last_backup(context: dg.OpExecutionContext) -> None:
    """Succeeds if the answers are the same, or if there were none to compare."""
    settings = load(PipelinesSettings, os.environ)
    if not is_expected(settings):
        raise dg.Failure(
            "Set ERRATA_BACKUP_DIR, and ERRATA_DATA, which `errata up` sets", allow_retries=False
        )
    code, said = _run(command(settings))
    metadata = {
        "outcome": dg.MetadataValue.text(said),
        "directory": dg.MetadataValue.text(settings.backup_dir),
    }
    if code:
        raise dg.Failure(said, metadata=metadata, allow_retries=False)
    context.add_output_metadata(metadata)
    context.log.info(said)


@dg.job(
    executor_def=dg.in_process_executor,
    description="Restores the last backup of ERRATA_BACKUP_DIR to a scratch directory, compares its "
    "results with those of this service, and removes it. The restored service sends nothing.",
)
def drill_backup() -> None:
    restore_last_backup()


def command(settings: PipelinesSettings) -> list[str]:
    scratch = ["--scratch", str(settings.backup_scratch)] if settings.backup_scratch else []
    data = ["--data", str(settings.data)]
    return [sys.executable, "-m", "errata", "backup", "drill", settings.backup_dir, *data, *scratch]


def is_expected(settings: PipelinesSettings) -> bool:
    """Only beside a data directory of `errata up`: a ClickHouse server of one's own is restored by hand."""
    return bool(settings.backup_dir) and settings.data is not None


def _run(command: Sequence[str]) -> tuple[int, str]:
    """The exit code, and what was said. A run that is ended ends the command, which then cleans up."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        said, _ = process.communicate()
    except BaseException:
        process.terminate()
        process.wait(STOPS_WITHIN_SECONDS)
        raise
    return process.returncode, said.strip()
