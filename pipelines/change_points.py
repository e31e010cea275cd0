"""The asset of trends: days on which a metric changed its level."""

import dagster as dg

from errata.warehouse import sql
from errata.warehouse.builds.change_points import TABLE, find_change_points
from pipelines.marts import asset_key, warehouse_of
from pipelines.settings import PipelinesSettings

INPUTS = ("errata_mart.page_metrics_daily", "errata_mart.release_metrics")


def change_points_asset(settings: PipelinesSettings) -> dg.AssetsDefinition:
    (file,) = [file for file in sql.migrations() if file.name == TABLE]

    @dg.asset(
        key=asset_key(TABLE),
        deps=[asset_key(table) for table in INPUTS],
        description=file.header["purpose"],
        metadata={"grain": file.header["grain"], "key": file.header["key"], "engine": file.header["engine"]},
        group_name="marts",
        kinds={"clickhouse", "python"},
        retry_policy=dg.RetryPolicy(max_retries=1, delay=15),
    )
    def change_points() -> dg.MaterializeResult[None]:
        done = find_change_points(warehouse_of(settings))
        return dg.MaterializeResult(
            metadata={
                "series": dg.MetadataValue.int(done.series_count),
                "changes": dg.MetadataValue.int(done.change_count),
                "seconds": dg.MetadataValue.float(round(done.seconds, 3)),
                "built_through": dg.MetadataValue.timestamp(done.watermark),
            }
        )

    return change_points
