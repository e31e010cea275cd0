"""Puts raw rows into the warehouse as the API does."""

import msgspec

from api.ingest.item import Rows
from errata.warehouse.roles import Role
from tests.processes import WarehouseProcess


def store(warehouse: WarehouseProcess, *batches: Rows) -> None:
    """All rows of the batches, one insert a table."""
    tables: Rows = {}
    for rows in batches:
        for table, more in rows.items():
            tables.setdefault(table, []).extend(more)
    client = warehouse.client(Role.INGEST)
    for table, found in tables.items():
        client.insert_json_lines(table, b"\n".join(map(msgspec.json.encode, found)))
    client.close()
