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
            of_shards = []
            for shard in warehouse.each():
                result = check(shard)
                outcome = {"check_name": name, "is_passed": result.passed}
                shard.client.execute(sql.build_statement("record_check"), outcome)
                of_shards.append(result)
            # One that failed is shown, whichever shard it is of.
            return next((result for result in of_shards if not result.passed), of_shards[0])

        return recorded

    return decorated
