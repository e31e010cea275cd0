"""The nightly comparison of stored assignments and states with the logs they are computed from."""

import dagster as dg

from errata.resolution.assignments import AMISS
from errata.warehouse import sql
from pipelines.assets.recorded_check import recorded_check
from pipelines.assets.sql import asset_key
from pipelines.resources import WarehouseResource


def log_checks() -> list[dg.AssetChecksDefinition]:
    return [_check(table, question) for table, question in AMISS.items()]


def _check(table: str, question: str) -> dg.AssetChecksDefinition:
    @recorded_check(
        asset=asset_key(table),
        name=f"{table.partition('.')[2]}_equal_their_log",
        description="Every row is what the logs say; the web process corrects others when it starts.",
    )
    def equal(warehouse: WarehouseResource) -> dg.AssetCheckResult:
        found = warehouse.client.rows(sql.query(question), {"projects": []})
        by_project = {str(row["project_id"]): row["amiss_count"] for row in found}
        return dg.AssetCheckResult(
            passed=not found,
            metadata={
                "amiss": dg.MetadataValue.int(sum(by_project.values())),
                "by_project": dg.MetadataValue.json(by_project),
            },
        )

    return equal
