"""Rows that their projects no longer keep: what is recorded of them, and their deletion."""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta

from errata.warehouse import sql
from errata.warehouse.client import Warehouse

LOG = "errata_raw.expirations"

Throughs = Mapping[tuple[int, str], date]
"""By project and table the last day of receipt whose rows may be gone."""


def recorded(warehouse: Warehouse, before: datetime) -> Throughs:
    """What was recorded until then."""
    rows = warehouse.rows(sql.query("expirations"), {"recorded_before": before})
    return {(row["project_id"], row["table"]): row["through"] for row in rows}


def record(warehouse: Warehouse, throughs: Throughs) -> None:
    rows = [
        {"project_id": project_id, "table": table, "through": through}
        for (project_id, table), through in throughs.items()
    ]
    warehouse.insert_rows(LOG, rows)


def remove_expired(
    warehouse: Warehouse, table: str, throughs: Mapping[int, date], goes_on: Callable[[], bool]
) -> int:
    """Deletes the rows of these projects received until their days; returns the days that had some. Each day
    is a partition, which is rewritten once."""
    named = {"projects": list(throughs), "throughs": list(throughs.values())}
    statement = sql.query("expired_rows").at(table=table)
    remove = sql.query("remove_expired_rows").at(table=table)
    days = 0
    for row in warehouse.rows(statement, named):
        if not goes_on():
            break
        warehouse.execute(remove, {"day": row["day"], "projects": row["projects"]})
        days += 1
    return days


def kept_since(warehouse: Warehouse, project_id: int, table: str) -> datetime | None:
    """The moment since which all received rows are there, if the project keeps fewer days than the table."""
    rows = warehouse.rows(sql.query("expired_through"), {"projects": [project_id], "table": table})
    if not rows:
        return None
    return datetime.combine(rows[0]["through"] + timedelta(days=1), time(), UTC)
