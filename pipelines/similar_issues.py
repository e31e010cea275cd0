"""The asset of the second stage: issues whose stacks are alike."""

import dagster as dg

from errata.warehouse import sql
from errata.warehouse.builds.similar_issues import TABLE, compare
from pipelines.marts import asset_key, warehouse_of
from pipelines.settings import PipelinesSettings

INPUTS = ("errata_raw.variants", "errata_raw.variant_issues", "errata_raw.issue_actions")


def similar_issues_asset(settings: PipelinesSettings) -> dg.AssetsDefinition:
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
    def similar_issues() -> dg.MaterializeResult[None]:
        done = compare(warehouse_of(settings))
        return dg.MaterializeResult(
            metadata={
                "projects": dg.MetadataValue.int(done.project_count),
                "stacks": dg.MetadataValue.int(done.stack_count),
                "pairs": dg.MetadataValue.int(done.pairs),
                "near_certain": dg.MetadataValue.int(done.near_certain),
                "seconds": dg.MetadataValue.float(round(done.seconds, 3)),
                "compared_through": dg.MetadataValue.timestamp(done.watermark),
            }
        )

    return similar_issues
