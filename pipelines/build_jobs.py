"""The jobs that build, each with its schedule: one run of each at a time, none waits for the other's."""

from collections.abc import Sequence

import dagster as dg

from pipelines.instance import BUILDS, UNFINISHED


def scheduled_job(
    name: str, assets: Sequence[dg.AssetsDefinition], description: str, schedule: str, cron: str
) -> dg.ScheduleDefinition:
    """Asks for no second run while one is unfinished: behind a long one they would pile up."""
    job = dg.define_asset_job(
        name,
        selection=dg.AssetSelection.assets(*assets),
        description=description,
        tags={BUILDS: name},
        # One process: a process for each step costs six times the CPU.
        executor_def=dg.in_process_executor,
    )

    @dg.schedule(
        name=schedule,
        job=job,
        cron_schedule=cron,
        execution_timezone="UTC",
        default_status=dg.DefaultScheduleStatus.RUNNING,
    )
    def requested(context: dg.ScheduleEvaluationContext) -> dg.RunRequest | dg.SkipReason:
        unfinished = dg.RunsFilter(tags={BUILDS: name}, statuses=UNFINISHED)
        if context.instance.get_runs_count(unfinished):
            return dg.SkipReason(f"a run of {name} is not finished")
        return dg.RunRequest()

    return requested
