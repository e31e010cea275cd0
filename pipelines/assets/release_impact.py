"""The assets of releases: the figures of each, and its changes against the release before."""

from collections.abc import Iterator

import dagster as dg

from errata.warehouse.python_marts import RELEASES
from pipelines.assets.python import facts
from pipelines.assets.sql import RETRY, asset_key
from pipelines.resources import WarehouseResource


def release_assets() -> dg.AssetsDefinition:
    @dg.multi_asset(
        name="releases",
        specs=[dg.AssetSpec(**facts(table, RELEASES)) for table in RELEASES.tables],
        retry_policy=RETRY,
    )
    def releases(warehouse: WarehouseResource) -> Iterator[dg.MaterializeResult[None]]:
        # Imported when it runs: a process that builds SQL alone needs no numpy.
        from pipelines.marts.release_impact import judge_releases

        done = judge_releases(warehouse.with_free_disk)
        metadata = {
            "releases": dg.MetadataValue.int(done.release_count),
            "effects": dg.MetadataValue.int(done.effect_count),
            "waiting_releases": dg.MetadataValue.int(done.waiting_count),
            "page_loads": dg.MetadataValue.int(done.load_count),
            "seconds": dg.MetadataValue.float(round(done.seconds, 3)),
            "built_through": dg.MetadataValue.timestamp(done.watermark),
        }
        for table in RELEASES.tables:
            yield dg.MaterializeResult(asset_key=asset_key(table), metadata=metadata)

    return releases
