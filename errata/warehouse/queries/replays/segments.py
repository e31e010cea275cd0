"""The recorded events of a replay's segments."""

from uuid import UUID

from errata.warehouse import sql
from errata.warehouse.client import Warehouse


def recording_of_segment(
    warehouse: Warehouse, project_id: int, replay_id: UUID, segment_id: int
) -> str | None:
    """A JSON array of rrweb events; None: it did not arrive, or is stored no more."""
    parameters = {"project_id": project_id, "replay_id": str(replay_id), "segment_id": segment_id}
    rows = warehouse.rows(sql.query("recording_of_segment"), parameters)
    return str(rows[0]["recording"]) if rows else None
