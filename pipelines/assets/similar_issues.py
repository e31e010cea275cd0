"""The asset of the second stage: issues whose stacks are alike."""

import dagster as dg

from errata.warehouse.python_marts import SIMILAR_ISSUES
from pipelines.assets.python import RETRY, facts, warehouse_with_room
from pipelines.marts.similar_issues import TABLE, compare
from pipelines.settings import PipelinesSettings


def similar_issues_asset(settings: PipelinesSettings) -> dg.AssetsDefinition:
    @dg.asset(**facts(TABLE, SIMILAR_ISSUES), retry_policy=RETRY)
    def similar_issues() -> dg.MaterializeResult[None]:
        done = compare(warehouse_with_room(settings))
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
