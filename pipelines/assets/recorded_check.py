"""Data checks whose outcomes are kept in the warehouse too: what watches the service asks no Dagster."""

from collections.abc import Callable

import dagster as dg

from errata.warehouse import sql
from pipelines.resources import WarehouseResource

Check = Callable[[WarehouseResource], dg.AssetCheckResult]


def recorded_check(
    asset: dg.AssetKey, name: str, description: str, *, blocking: bool = False
) -> Callable[[Check], dg.AssetChecksDefinition]:
    """A decorator for `dg.asset_check`."""

    def decorated(check: Check) -> dg.AssetChecksDefinition:
        @dg.asset_check(asset=asset, name=name, description=description, blocking=blocking)
        def recorded(warehouse: WarehouseResource) -> dg.AssetCheckResult:
            result = check(warehouse)
            outcome = {"check_name": name, "is_passed": result.passed}
            warehouse.client.execute(sql.build_statement("record_check"), outcome)
            return result

        return recorded

    return decorated
