"""The recorded segments of a replay."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from errata.warehouse import sql
from errata.warehouse.client import Warehouse


@dataclass(frozen=True)
class Segment:
    """`recording_bytes`: of the JSON array of its events."""

    segment_id: int
    recording_bytes: int


def segments_of_replay(warehouse: Warehouse, project_id: int, replay_id: UUID) -> Sequence[Segment]:
    """In order."""
    parameters = {"project_id": project_id, "replay_id": str(replay_id)}
    rows = warehouse.rows(sql.query("segments_of_replay"), parameters)
    return [Segment(row["segment_id"], row["recording_bytes"]) for row in rows]


def recording_of_segment(
    warehouse: Warehouse, project_id: int, replay_id: UUID, segment_id: int
) -> str | None:
    """A JSON array of rrweb events; None: it did not arrive, or is stored no more."""
    parameters = {"project_id": project_id, "replay_id": str(replay_id), "segment_id": segment_id}
    rows = warehouse.rows(sql.query("recording_of_segment"), parameters)
    return str(rows[0]["recording"]) if rows else None
