"""The asset of trends: days on which a metric changed its level."""

import dagster as dg

from errata.warehouse.python_marts import CHANGE_POINTS
from pipelines.assets.python import RETRY, facts, warehouse_with_room
from pipelines.marts.change_points import TABLE, find_change_points
from pipelines.settings import PipelinesSettings


def change_points_asset(settings: PipelinesSettings) -> dg.AssetsDefinition:
    @dg.asset(**facts(TABLE, CHANGE_POINTS), retry_policy=RETRY)
    def change_points() -> dg.MaterializeResult[None]:
        done = find_change_points(warehouse_with_room(settings))
        return dg.MaterializeResult(
            metadata={
                "series": dg.MetadataValue.int(done.series_count),
                "changes": dg.MetadataValue.int(done.change_count),
                "seconds": dg.MetadataValue.float(round(done.seconds, 3)),
                "built_through": dg.MetadataValue.timestamp(done.watermark),
            }
        )

    return change_points
