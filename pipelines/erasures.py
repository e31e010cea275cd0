"""The job that takes erased rows out of marts, and the sensor that runs it while there is something to do."""

import dagster as dg

from errata.warehouse.client import QueryFailed, WarehouseUnavailable
from pipelines.assets.sql import RETRY
from pipelines.build_jobs import absence, of_each, unfinished_run
from pipelines.builder.erasures import carry_out_erasures, is_due
from pipelines.builder.lease import LeaseHeld
from pipelines.resources import BUILDS, WarehouseResource

# A check that finds files left is repeated: the engine removes them in its own time. A look may wait for a
# tick of the sensor of new rows, which goes on for half a minute.
LOOK_EVERY_SECONDS = 30


def erasure_job(name: str, description: str) -> dg.JobDefinition:
    @dg.op(name="rebuild_without_erased_rows", description=description, retry_policy=RETRY)
    def carry_out(context: dg.OpExecutionContext, warehouse: WarehouseResource) -> None:
        try:
            for shard in warehouse.each():
                for said in carry_out_erasures(shard.client, bound=warehouse.bound):
                    context.log.info(said)
        except LeaseHeld as error:
            context.log.warning(f"{error}")

    graph = dg.GraphDefinition(name=name, node_defs=[carry_out])
    return graph.to_job(description=description, tags={BUILDS: name}, executor_def=dg.in_process_executor)


def erasures_sensor(name: str, job: dg.JobDefinition) -> dg.SensorDefinition:
    """Requests a run while an erasure has marts to rebuild or files to check; a check waits until replaced
    files can be gone."""

    @dg.sensor(
        name=name,
        job=job,
        minimum_interval_seconds=LOOK_EVERY_SECONDS,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=f"Runs {job.name} after rows were erased.",
    )
    def requested(
        context: dg.SensorEvaluationContext, warehouse: WarehouseResource
    ) -> list[dg.RunRequest] | dg.SkipReason:
        def asked(shard: WarehouseResource) -> dg.RunRequest | dg.SkipReason:
            if waits := absence(shard) or unfinished_run(context.instance, shard.builds(job.name)):
                return waits
            try:
                due = is_due(shard.client)
            except (WarehouseUnavailable, QueryFailed) as error:
                return dg.SkipReason(f"{error}")
            request = dg.RunRequest(tags=shard.run_tags(job.name))
            return request if due else dg.SkipReason("no erasure is due")

        return of_each(warehouse, asked)

    return requested
