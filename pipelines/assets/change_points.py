"""The asset of trends: days on which the level of a metric shifted."""

import dagster as dg

from errata.warehouse.python_marts import CHANGE_POINTS
from pipelines.assets.python import facts
from pipelines.assets.sql import RETRY
from pipelines.resources import StateResource, WarehouseResource


def change_points_asset() -> dg.AssetsDefinition:
    @dg.asset(**facts(CHANGE_POINTS.tables[0], CHANGE_POINTS), retry_policy=RETRY)
    def change_points(warehouse: WarehouseResource, state: StateResource) -> dg.MaterializeResult[None]:
        # Imported when it runs: a process that builds SQL alone needs no numpy.
        from pipelines.marts.change_points import find_change_points

        done = find_change_points(warehouse.with_free_disk, holidays=state.holidays())
        return dg.MaterializeResult(
            metadata={
                "series": dg.MetadataValue.int(done.series_count),
                "changes": dg.MetadataValue.int(done.change_count),
                "seconds": dg.MetadataValue.float(round(done.seconds, 3)),
                "built_through": dg.MetadataValue.timestamp(done.watermark),
            }
        )

    return change_points
