"""The recorded events of a replay's segments."""

from uuid import UUID

from errata.deflated import Deflated
from errata.warehouse import sql
from errata.warehouse.client import Warehouse


def recording_of_segment(
    warehouse: Warehouse, project_id: int, replay_id: UUID, segment_id: int
) -> Deflated | None:
    """A JSON array of rrweb events; None: it did not arrive, or is stored no more."""
    parameters = {"project_id": project_id, "replay_id": str(replay_id), "segment_id": segment_id}
    recording = warehouse.text(sql.query("recording_of_segment"), parameters)
    return recording if recording.inflated_bytes else None
