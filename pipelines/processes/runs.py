"""A run of a job, in a process forked for it; and the report of one that was killed."""

from multiprocessing import get_context
from queue import SimpleQueue

import dagster as dg
from dagster._core.definitions.reconstruct import ReconstructableRepository
from dagster._core.instance.ref import InstanceRef
from dagster._grpc.impl import start_run_in_subprocess
from dagster._grpc.types import ExecuteExternalJobArgs
from dagster._serdes import deserialize_value
from dagster._utils import get_run_crash_explanation


def execute_run(repository: ReconstructableRepository, arguments: str) -> None:
    """As Dagster's server of definitions does in a process that it starts. SIGTERM ends the run."""
    told = deserialize_value(arguments, ExecuteExternalJobArgs)
    job = repository.get_reconstructable_job(told.job_origin.job_name)
    # Nobody sets it: a signal ends the run.
    ended = get_context("fork").Event()
    start_run_in_subprocess(arguments, job, SimpleQueue[object](), ended)  # type: ignore[no-untyped-call]


def report_crash(reference: InstanceRef, run_id: str, exit_code: int, *, is_asked_for: bool) -> None:
    """The end of a run whose process ended before it could tell its outcome: a failure, unless somebody
    asked for it."""
    with dg.DagsterInstance.from_ref(reference) as instance:
        run = instance.get_run_by_id(run_id)
        if run is None or run.is_finished:
            return
        if is_asked_for:
            instance.report_run_canceled(run)
            return
        said = get_run_crash_explanation(f"Run execution process for {run_id}", exit_code)
        instance.report_engine_event(said, run)
        instance.report_run_failed(run)
