"""The jobs that bring marts up to date: they build dirty windows and report them to Dagster.

Dirty windows are found under the lease of the mart, so no run can request their partitions in advance: these
jobs have an op for each mart, which reports assets.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from types import MappingProxyType

import dagster as dg

from errata.warehouse.client import QueryFailed, WarehouseUnavailable
from pipelines.assets.sql import RETRY, logged_build, mart_checks, materializations, tables_before
from pipelines.builder.lease import LeaseHeld
from pipelines.builder.mart import Mart
from pipelines.built_days import report_built_days
from pipelines.checks_after_builds import due_checks, report_check
from pipelines.partitions import partitions_of
from pipelines.resources import BUILDS, StateResource, WarehouseResource


def refresh_job(
    name: str, marts: Sequence[Mart], description: str, first_days: Mapping[str, date] = MappingProxyType({})
) -> dg.JobDefinition:
    """A job in one process: each mart follows its sources. A failed mart holds up its dependents.
    `first_days`: where the marts' partitions begin."""
    graph = dg.GraphDefinition(
        name=name,
        node_defs=[
            _refresh_op(mart, _before(mart, marts), partitions_of(mart, first_days)) for mart in marts
        ],
        dependencies={
            _op_name(mart): {other.name: dg.DependencyDefinition(_op_name(other)) for other in before}
            for mart in marts
            if (before := _before(mart, marts))
        },
    )
    return graph.to_job(description=description, tags={BUILDS: name}, executor_def=dg.in_process_executor)


def _refresh_op(
    mart: Mart, before: Sequence[Mart], partitions: dg.TimeWindowPartitionsDefinition | None
) -> dg.OpDefinition:
    checks = mart_checks(mart)

    @dg.op(
        name=_op_name(mart),
        description=f"Builds the windows of {mart.name} that received rows.",
        ins={other.name: dg.In(dg.Nothing) for other in before},
        out=dg.Out(dg.Nothing),
        retry_policy=RETRY,
    )
    def refresh(context: dg.OpExecutionContext, warehouse: WarehouseResource, state: StateResource) -> None:
        for shard in warehouse.each():
            try:
                report = logged_build(context.log, shard, mart)
            except LeaseHeld as error:
                # A manual build of days may take long; the next run finds everything received meanwhile.
                context.log.warning(f"{error}")
                continue
            state.note_build()
            for event in materializations(mart, report, partitions):
                context.log_event(event)
            report_built_days(context.instance, shard, mart, partitions)
            try:
                for check in due_checks(context.instance, checks):
                    report_check(context.instance, check, shard)
            except (WarehouseUnavailable, QueryFailed) as error:
                # The mart is built: dependents need not wait for its checks.
                context.log.warning(f"{error}")

    return refresh


def _before(mart: Mart, marts: Sequence[Mart]) -> list[Mart]:
    tables = tables_before(mart)
    return [other for other in marts if other.table in tables]


def _op_name(mart: Mart) -> str:
    return f"refresh_{mart.name}"
