"""The warehouse's clock, by which rows are received."""

from datetime import datetime

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.client import Warehouse


def warehouse_now(warehouse: Warehouse) -> datetime:
    return utc(warehouse.rows(sql.query("warehouse_now"))[0]["now"])
