"""The asset of the second grouping stage: issues with similar stacks."""

import dagster as dg

from errata.warehouse.python_marts import SIMILAR_ISSUES
from pipelines.assets.python import facts
from pipelines.assets.sql import RETRY
from pipelines.resources import WarehouseResource


def similar_issues_asset() -> dg.AssetsDefinition:
    @dg.asset(**facts(SIMILAR_ISSUES.tables[0], SIMILAR_ISSUES), retry_policy=RETRY)
    def similar_issues(warehouse: WarehouseResource) -> dg.MaterializeResult[None]:
        # Imported when it runs: a process that builds SQL alone needs no stack comparison.
        from pipelines.marts.similar_issues import compare

        done = compare(warehouse.with_free_disk)
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
