"""How long the logs of decisions are: they only grow, so what was read of one of this size still holds."""

from dataclasses import dataclass
from datetime import datetime

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.client import Warehouse


@dataclass(frozen=True)
class LogSizes:
    """Entries of a project: what people decided, mappings of variants, switches of the configuration."""

    actions: int
    mappings: int
    switches: int


def log_sizes(warehouse: Warehouse, project_id: int) -> tuple[datetime, LogSizes]:
    """As of a moment by the warehouse's clock."""
    (row,) = warehouse.rows(sql.query("sizes_of_logs"), {"project_id": project_id})
    return utc(row["asked_at"]), LogSizes(row["actions"], row["mappings"], row["switches"])
