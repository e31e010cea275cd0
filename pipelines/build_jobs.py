"""Schedules and sensors: jobs run by the clock or upon new rows, each with one run at a time."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from time import sleep
from typing import TYPE_CHECKING

import dagster as dg

from errata.warehouse.client import QueryFailed, WarehouseUnavailable
from pipelines.builder.mart import Mart
from pipelines.builder.new_rows import behind
from pipelines.instance import UNFINISHED
from pipelines.resources import BUILDS, StateResource, WarehouseResource

if TYPE_CHECKING:
    from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition

LOOK_EVERY_SECONDS = 5
# A tick costs more than ten looks: it goes on for so long while there is nothing to build.
LOOKS_A_TICK = 6
# A run costs more than a search: with a steady stream of rows, builds start this often.
BUILD_EVERY = timedelta(seconds=20)
# Without new rows too: deferred days and retries get their turn, and "as of" on pages moves on.
BUILD_AT_LATEST = timedelta(minutes=5)
# Where nothing comes at all.
BUILD_AT_REST = timedelta(minutes=10)
# A build is through an earlier moment than that at which it was due.
SLACK = timedelta(minutes=1)


def asset_job(name: str, selection: dg.AssetSelection, description: str) -> "UnresolvedAssetJobDefinition":
    return dg.define_asset_job(
        name,
        selection=selection,
        description=description,
        tags={BUILDS: name},
        # One process: a process for each step costs six times the CPU.
        executor_def=dg.in_process_executor,
    )


def schedule(
    name: str,
    job: "dg.JobDefinition | UnresolvedAssetJobDefinition",
    cron: str,
    *,
    is_on: bool = True,
    needs_warehouse: bool = True,
    marts: Sequence[Mart] = (),
) -> dg.ScheduleDefinition:
    """`marts`: those that the job builds every ten minutes only, if nothing came for any since."""

    @dg.schedule(
        name=name,
        job=job,
        cron_schedule=cron,
        execution_timezone="UTC",
        default_status=dg.DefaultScheduleStatus.RUNNING if is_on else dg.DefaultScheduleStatus.STOPPED,
    )
    def requested(
        context: dg.ScheduleEvaluationContext, warehouse: WarehouseResource
    ) -> list[dg.RunRequest] | dg.SkipReason:
        def asked(shard: WarehouseResource) -> dg.RunRequest | dg.SkipReason:
            absent = absence(shard) if needs_warehouse else None
            waits = absent or unfinished_run(context.instance, shard.builds(job.name))
            waits = waits or (rest(shard, marts) if marts else None)
            return waits or dg.RunRequest(tags=shard.run_tags(job.name))

        return of_each(warehouse, asked) if needs_warehouse else answer([asked(warehouse)])

    return requested


def new_rows_sensor(
    name: str, job: dg.JobDefinition, marts: Sequence[Mart], looks: int = LOOKS_A_TICK
) -> dg.SensorDefinition:
    """Requests a run of the job upon new rows; `marts`: those whose raw tables are searched, `looks` times a
    tick."""

    @dg.sensor(
        name=name,
        job=job,
        minimum_interval_seconds=LOOK_EVERY_SECONDS,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=f"Runs {job.name} when new rows arrive, and at least every ten minutes.",
    )
    def requested(
        context: dg.SensorEvaluationContext, warehouse: WarehouseResource, state: StateResource
    ) -> list[dg.RunRequest] | dg.SkipReason:
        state.note_alive()

        def look() -> list[dg.RunRequest] | dg.SkipReason:
            return of_each(warehouse, lambda shard: _asked(context.instance, shard, job, marts))

        found = look()
        for _ in range(looks - 1):
            if not isinstance(found, dg.SkipReason):
                break
            sleep(LOOK_EVERY_SECONDS)
            found = look()
        return found

    return requested


def of_each(
    warehouse: WarehouseResource, asked: Callable[[WarehouseResource], dg.RunRequest | dg.SkipReason]
) -> list[dg.RunRequest] | dg.SkipReason:
    """What is requested of the shards, or the reason of the first to request nothing."""
    try:
        shards = warehouse.each()
    except WarehouseUnavailable as error:
        return dg.SkipReason(f"{error}")
    return answer([asked(shard) for shard in shards])


def answer(asked: Sequence[dg.RunRequest | dg.SkipReason]) -> list[dg.RunRequest] | dg.SkipReason:
    requests = [one for one in asked if isinstance(one, dg.RunRequest)]
    reasons = [one for one in asked if isinstance(one, dg.SkipReason)]
    return requests or reasons[0]


def _asked(
    instance: dg.DagsterInstance, warehouse: WarehouseResource, job: dg.JobDefinition, marts: Sequence[Mart]
) -> dg.RunRequest | dg.SkipReason:
    if waits := absence(warehouse) or unfinished_run(instance, warehouse.builds(job.name)):
        return waits
    try:
        now = behind(warehouse.client, marts)
    except (WarehouseUnavailable, QueryFailed) as error:
        return dg.SkipReason(f"{error}")
    at_latest = BUILD_AT_REST if now.is_at_rest else BUILD_AT_LATEST
    if now.span >= at_latest or (now.has_rows and now.span >= BUILD_EVERY):
        return dg.RunRequest(tags=warehouse.run_tags(job.name))
    return dg.SkipReason(f"built through {now.since:%H:%M:%S}")


def rest(warehouse: WarehouseResource, marts: Sequence[Mart]) -> dg.SkipReason | None:
    """The reason to skip a run where nothing came since the last one, and that was not long ago."""
    try:
        now = behind(warehouse.client, marts)
    except (WarehouseUnavailable, QueryFailed) as error:
        return dg.SkipReason(f"{error}")
    if now.is_at_rest and now.span < BUILD_AT_REST - SLACK:
        return dg.SkipReason(f"nothing arrived since {now.since:%H:%M:%S}")
    return None


def absence(warehouse: WarehouseResource) -> dg.SkipReason | None:
    """The reason to skip a run while its warehouse is unnamed or away: what to start or to set."""
    try:
        warehouse.client  # noqa: B018
    except (dg.Failure, WarehouseUnavailable) as error:
        return dg.SkipReason(f"{error}")
    return None


def unfinished_run(instance: dg.DagsterInstance, job: str) -> dg.SkipReason | None:
    """The reason to skip a run while one is unfinished: others would pile up behind it."""
    unfinished = dg.RunsFilter(tags={BUILDS: job}, statuses=UNFINISHED)
    return dg.SkipReason(f"a run of {job} is not finished") if instance.get_runs_count(unfinished) else None
