"""The asset of performance budgets: each window of each budget, and whether it was kept."""

import dagster as dg

from errata.warehouse.python_marts import BUDGET_STATUS
from pipelines.assets.python import facts
from pipelines.assets.sql import RETRY
from pipelines.resources import StateResource, WarehouseResource


def budget_status_asset() -> dg.AssetsDefinition:
    @dg.asset(**facts(BUDGET_STATUS.tables[0], BUDGET_STATUS), retry_policy=RETRY)
    def budget_status(warehouse: WarehouseResource, state: StateResource) -> dg.MaterializeResult[None]:
        # Imported when it runs: a process that builds SQL alone needs no state store.
        from pipelines.marts.budget_status import judge_budgets

        done = judge_budgets(warehouse.with_free_disk, state.budgets())
        return dg.MaterializeResult(
            metadata={
                "budgets": dg.MetadataValue.int(done.budget_count),
                "windows": dg.MetadataValue.int(done.window_count),
                "breaches": dg.MetadataValue.int(done.breach_count),
                "seconds": dg.MetadataValue.float(round(done.seconds, 3)),
                "judged_at": dg.MetadataValue.timestamp(done.watermark),
            }
        )

    return budget_status
