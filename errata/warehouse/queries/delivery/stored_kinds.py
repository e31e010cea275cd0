"""What each kind of data of a project takes on the disk."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.delivery.storage import growth_of, stored_days
from errata.warehouse.retention import KEPT, DataKind


@dataclass(frozen=True, slots=True)
class StoredKind:
    """`byte_count` and `daily_byte_count` (growth in the last whole days; None until three have passed) are
    those of the tables by the project's share of rows: rows of one project lie among those of others."""

    kind: DataKind
    row_count: int
    byte_count: int
    daily_byte_count: int | None


def stored_kinds(warehouse: Warehouse, project_id: int, today: date) -> list[StoredKind]:
    """Every kind, also those without rows."""
    rows = warehouse.rows(sql.query("stored_rows_of_project"), {"projects": [project_id]})
    counts = {f"errata_raw.{row['table']}": (row["project_row_count"], row["row_count"]) for row in rows}
    days = stored_days(warehouse.of([project_id]))
    growth = growth_of(days, today)
    return [_kind(kind, counts, days, growth) for kind in DataKind]


def _kind(
    kind: DataKind,
    counts: Mapping[str, tuple[int, int]],
    days: Mapping[str, Mapping[date, int]],
    growth: Mapping[str, int] | None,
) -> StoredKind:
    own = {table: counts[table] for table in KEPT[kind].most_days if table in counts}
    shares = {table: mine / every for table, (mine, every) in own.items() if every}
    stored = sum(share * sum(days.get(table, {}).values()) for table, share in shares.items())
    growing = sum(share * (growth or {}).get(table, 0) for table, share in shares.items())
    return StoredKind(
        kind,
        sum(mine for mine, _ in own.values()),
        round(stored),
        None if growth is None else round(growing),
    )
