"""The assets of releases: what each is like, and what it changed against the one before."""

from collections.abc import Iterator

import dagster as dg

from errata.warehouse.python_marts import RELEASES
from pipelines.assets.python import RETRY, facts, warehouse_with_room
from pipelines.assets.sql import asset_key
from pipelines.marts.release_impact import IMPACT_TABLE, METRICS_TABLE, judge_releases
from pipelines.settings import PipelinesSettings


def release_assets(settings: PipelinesSettings) -> dg.AssetsDefinition:
    @dg.multi_asset(
        name="releases",
        specs=[dg.AssetSpec(**facts(table, RELEASES)) for table in (METRICS_TABLE, IMPACT_TABLE)],
        retry_policy=RETRY,
    )
    def releases() -> Iterator[dg.MaterializeResult[None]]:
        done = judge_releases(warehouse_with_room(settings))
        metadata = {
            "releases": dg.MetadataValue.int(done.release_count),
            "effects": dg.MetadataValue.int(done.effect_count),
            "waiting_releases": dg.MetadataValue.int(done.waiting_count),
            "page_loads": dg.MetadataValue.int(done.load_count),
            "seconds": dg.MetadataValue.float(round(done.seconds, 3)),
            "built_through": dg.MetadataValue.timestamp(done.watermark),
        }
        for table in (METRICS_TABLE, IMPACT_TABLE):
            yield dg.MaterializeResult(asset_key=asset_key(table), metadata=metadata)

    return releases
