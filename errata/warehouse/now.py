"""The warehouse's clock, which stamps received rows."""

from datetime import datetime

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.client import Warehouse


def warehouse_now(warehouse: Warehouse) -> datetime:
    return utc(warehouse.any().rows(sql.query("warehouse_now"))[0]["now"])
