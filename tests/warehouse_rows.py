"""Puts raw rows into the warehouse as the API does."""

from collections.abc import Mapping, Sequence
from typing import Any

from api.ingest import row_inserts
from api.ingest.item import Rows
from errata.resolution.assignments import write_assignments
from errata.warehouse.client import Warehouse
from errata.warehouse.roles import Role
from tests.builders import insert_lines
from tests.processes import WarehouseProcess


def insert_rows(client: Warehouse, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    insert_lines(client, table, rows)


def store(warehouse: WarehouseProcess, *batches: Rows) -> None:
    """All rows of the batches, one insert a table."""
    tables: Rows = {}
    for rows in batches:
        for table, more in rows.items():
            tables.setdefault(table, []).extend(more)
    client = warehouse.client(Role.INGEST)
    for table, found in tables.items():
        row_inserts.store(client, table, found)
    mapped = tables.get("errata_raw.variant_issues", [])
    projects, variants = ({row[name] for row in mapped} for name in ("project_id", "variant_hash"))
    write_assignments(client, projects, variants)
    client.close()
