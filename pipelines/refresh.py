"""The jobs that bring marts up to date: whatever windows got rows are built, and told to Dagster.

Which windows these are is found out under the lease of the mart, so no run can be asked for their partitions
beforehand: these are jobs of ops, one for each mart, that report assets.
"""

from collections.abc import Sequence

import dagster as dg

from pipelines.assets.sql import RETRY, materializations, tables_before, told
from pipelines.build.build import build
from pipelines.build.lease import LeaseHeld
from pipelines.build.mart import Mart
from pipelines.instance import BUILDS
from pipelines.partitions import partitions_of
from pipelines.resources import WarehouseResource


def refresh_job(name: str, marts: Sequence[Mart], description: str) -> dg.JobDefinition:
    """In one process, each mart after those it is made of. One that fails holds up what is made of it."""
    graph = dg.GraphDefinition(
        name=name,
        node_defs=[_refresh_op(mart, _before(mart, marts)) for mart in marts],
        dependencies={
            _op_name(mart): {other.name: dg.DependencyDefinition(_op_name(other)) for other in before}
            for mart in marts
            if (before := _before(mart, marts))
        },
    )
    return graph.to_job(description=description, tags={BUILDS: name}, executor_def=dg.in_process_executor)


def _refresh_op(mart: Mart, before: Sequence[Mart]) -> dg.OpDefinition:
    partitions = partitions_of(mart)

    @dg.op(
        name=_op_name(mart),
        description=f"Builds the windows of {mart.name} that got rows.",
        ins={other.name: dg.In(dg.Nothing) for other in before},
        out=dg.Out(dg.Nothing),
        retry_policy=RETRY,
    )
    def refresh(context: dg.OpExecutionContext, warehouse: WarehouseResource) -> None:
        try:
            report = build(warehouse.client, mart, bound=warehouse.bound)
        except LeaseHeld as error:
            # Somebody builds days of it anew, which may take long; the next run finds what came meanwhile.
            context.log.warning(f"{error}")
            return
        warehouse.note_build()
        context.log.info(told(report))
        for event in materializations(mart, report, partitions):
            context.log_event(event)

    return refresh


def _before(mart: Mart, marts: Sequence[Mart]) -> list[Mart]:
    tables = tables_before(mart)
    return [other for other in marts if other.table in tables]


def _op_name(mart: Mart) -> str:
    return f"refresh_{mart.name}"
