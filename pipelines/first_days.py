"""The first day with rows of each mart, known when the definitions load."""

from collections.abc import Mapping
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
    warehouse = Warehouse(url, timeout_seconds=WITHIN_SECONDS)
    try:
        return first_days(warehouse)
    except (WarehouseUnavailable, QueryFailed):
        return {}
    finally:
        warehouse.close()


def first_days(warehouse: Warehouse) -> Mapping[str, date]:
    rows = warehouse.rows(sql.build_statement("first_days"))
    recorded = {row["mart"]: row["first_day"] for row in rows}
    if not recorded:
        return {}
    first = min(recorded.values())
    return {mart.name: recorded.get(beginning_of(mart).name, first) for mart in MARTS}


def beginning_of(mart: Mart) -> Mart:
    """The mart at the beginning of its lineage, built from raw."""
    while not mart.raw:
        mart = next(one for one in MARTS if one.name == mart.source)
    return mart
