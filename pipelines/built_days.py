"""Reports to Dagster the days that are built without its knowledge: by `errata build`, or before its storage
began."""

import dagster as dg

from pipelines.assets.sql import asset_key
from pipelines.builder.attempt import Attempt
from pipelines.builder.build_log import BuildLog
from pipelines.builder.mart import Mart
from pipelines.partitions import keys_of
from pipelines.resources import WarehouseResource

# An event costs 10 ms of CPU: the days of years are reported by several runs.
MOST_REPORTED = 100


def report_built_days(
    instance: dg.DagsterInstance,
    warehouse: WarehouseResource,
    mart: Mart,
    partitions: dg.TimeWindowPartitionsDefinition | None,
) -> None:
    """Reports published partitions as materialized that Dagster does not know as such, the newest first and
    at most `MOST_REPORTED`."""
    if partitions is None:
        return
    published = BuildLog(Attempt(warehouse.client, mart)).published_days()
    key = asset_key(mart.table)
    known = instance.get_materialized_partitions(key)
    missing = [name for name in reversed(keys_of(partitions, published)) if name not in known]
    for name in missing[:MOST_REPORTED]:
        instance.report_runless_asset_event(dg.AssetMaterialization(key, partition=name))
