"""A run of a monitor, or one that should have been, with its state."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class RunState(StrEnum):
    """`unknown`: the run may have happened on a host that has delivered nothing since; `service_away`: the
    service couldn't be reached at that time."""

    IN_PROGRESS = "in_progress"
    OK = "ok"
    ERROR = "error"
    TIMEOUT = "timeout"
    MISSED = "missed"
    UNKNOWN = "unknown"
    SERVICE_AWAY = "service_away"


UNTOLD = frozenset({RunState.UNKNOWN, RunState.SERVICE_AWAY})
FAILED = frozenset({RunState.ERROR, RunState.TIMEOUT, RunState.MISSED})


@dataclass(frozen=True, slots=True)
class Run:
    """`at`: when it began; of a run that is missing, when it was expected. `noted_at`: when its state could
    be told: its end, or the last moment until which it could have begun or ended in time."""

    at: datetime
    state: RunState
    noted_at: datetime
    ended_at: datetime | None = None
    duration_ms: float | None = None
    host: str = ""
    release: str = ""
