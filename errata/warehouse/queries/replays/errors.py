"""The errors of a replay."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.replays.replay import Replay
from errata.warehouse.typed_rows import typed

MOST = 200
LONGEST_MESSAGE = 1000
# In buffer mode a replay begins up to a minute before its first error; clocks of hosts differ.
AROUND = timedelta(hours=1)


@dataclass(frozen=True)
class ReplayError:
    """`issue_id` 0: in no issue yet. `at_ms`: since the replay began."""

    event_id: UUID
    issue_id: int
    occurred_at: datetime
    at_ms: float
    type: str
    message: str
    level: str

    @property
    def shown_message(self) -> str:
        """Rows keep its beginning alone."""
        return f"{self.message}…" if len(self.message) == LONGEST_MESSAGE else self.message

    @property
    def id(self) -> str:
        return self.event_id.hex


def errors_of_replay(warehouse: Warehouse, project_id: int, replay: Replay) -> Sequence[ReplayError]:
    """In order, at most 200."""
    parameters = {
        "project_id": project_id,
        "replay_id": str(replay.replay_id),
        "error_ids": [str(UUID(one)) for one in replay.error_ids if _is_id(one)],
        "since": replay.began_at - AROUND,
        "until": replay.ended_at + AROUND,
        "limit": MOST,
    }
    return [
        typed(
            ReplayError,
            row,
            event_id=row["item_id"],
            at_ms=(utc(row["occurred_at"]) - replay.began_at).total_seconds() * 1000,
        )
        for row in warehouse.rows(sql.query("errors_of_replay"), parameters)
    ]


def _is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
