"""What the latest events of a project hold."""

from datetime import UTC, datetime, timedelta

from errata.clock import EPOCH
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.deletions import kept_events

# Most projects have enough in the last days; a partition holds one.
STRETCH = timedelta(days=2)


def latest_payloads(warehouse: Warehouse, project_id: int, limit: int, most_bytes: int) -> list[bytes]:
    """JSON, the newest first; fewer than `limit` where they would be more than so many bytes together."""
    statement = sql.query("latest_payloads").at(is_kept=kept_events(warehouse, [project_id]))
    bound = {"project_id": project_id, "limit": limit, "most_bytes": most_bytes}
    rows: list[dict[str, str]] = []
    for since in (datetime.now(UTC) - STRETCH, EPOCH):
        if len(rows) < limit:
            rows = warehouse.rows(statement, {**bound, "since": since})
    return [row["payload"].encode() for row in rows]
