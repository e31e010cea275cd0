"""The asset of trends: days on which a metric changed its level."""

import dagster as dg

from errata.warehouse.python_marts import CHANGE_POINTS
from pipelines.assets.python import facts
from pipelines.assets.sql import RETRY
from pipelines.resources import WarehouseResource


def change_points_asset() -> dg.AssetsDefinition:
    @dg.asset(**facts(CHANGE_POINTS.tables[0], CHANGE_POINTS), retry_policy=RETRY)
    def change_points(warehouse: WarehouseResource) -> dg.MaterializeResult[None]:
        # Not before it runs: whoever builds SQL alone does without numpy.
        from pipelines.marts.change_points import find_change_points

        done = find_change_points(warehouse.with_room)
        return dg.MaterializeResult(
            metadata={
                "series": dg.MetadataValue.int(done.series_count),
                "changes": dg.MetadataValue.int(done.change_count),
                "seconds": dg.MetadataValue.float(round(done.seconds, 3)),
                "built_through": dg.MetadataValue.timestamp(done.watermark),
            }
        )

    return change_points
