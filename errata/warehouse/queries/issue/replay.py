"""The stored part of a session's recording."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.client import Warehouse


@dataclass(frozen=True)
class Recording:
    """`segment_count` 0: nothing arrived, or it has expired."""

    replay_id: UUID
    segment_count: int
    started_at: datetime
    ended_at: datetime
    replay_type: str
    urls: Sequence[str]

    @property
    def length_ms(self) -> float:
        return (self.ended_at - self.started_at).total_seconds() * 1000


def recording_of_replay(warehouse: Warehouse, project_id: int, replay_id: UUID) -> Recording:
    parameters = {"project_id": project_id, "replay_id": str(replay_id)}
    row = warehouse.rows(sql.query("recording_of_replay"), parameters)[0]
    moments = {name: utc(row[name]) for name in ("started_at", "ended_at")}
    return Recording(replay_id=replay_id, **{**row, **moments})
