"""The first day with rows of each mart, known when the definitions load."""

from collections.abc import Mapping, Sequence
from datetime import date

from errata.warehouse import sql
from errata.warehouse.addresses import addresses_of
from errata.warehouse.client import QueryFailed, Warehouse, WarehouseUnavailable
from errata.warehouse.presence import accepts_connections
from pipelines.builder.mart import Mart
from pipelines.marts.registry import MARTS
from pipelines.settings import PipelinesSettings

# Definitions are loaded by every run, also while the warehouse is busy.
WITHIN_SECONDS = 10


def load_first_days(settings: PipelinesSettings) -> Mapping[str, date]:
    """By mart, the first day with rows of the raw table it comes from; for a table without rows, that of all
    tables. Empty without a warehouse, or before its first builds."""
    url = settings.warehouse_url.get_secret_value()
    is_named = "warehouse_url" in settings.model_fields_set
    if not is_named or not any(map(accepts_connections, addresses_of(url))):
        return {}
    shards = [Warehouse(one, timeout_seconds=WITHIN_SECONDS) for one in settings.shard_urls().values()]
    try:
        return first_days(shards)
    except (WarehouseUnavailable, QueryFailed):
        return {}
    finally:
        for shard in shards:
            shard.close()


def first_days(shards: Sequence[Warehouse]) -> Mapping[str, date]:
    """Of all shards together."""
    recorded: dict[str, date] = {}
    for row in (row for shard in shards for row in shard.rows(sql.build_statement("first_days"))):
        recorded[row["mart"]] = min(row["first_day"], recorded.get(row["mart"], date.max))
    if not recorded:
        return {}
    first = min(recorded.values())
    return {mart.name: recorded.get(beginning_of(mart).name, first) for mart in MARTS}


def beginning_of(mart: Mart) -> Mart:
    """The mart at the beginning of its lineage, built from raw."""
    while not mart.raw:
        mart = next(one for one in MARTS if one.name == mart.source)
    return mart
