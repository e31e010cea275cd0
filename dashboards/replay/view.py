"""A replay as its page shows it."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from errata.warehouse.client import Warehouse
from errata.warehouse.queries.replays.errors import ReplayError, errors_of_replay
from errata.warehouse.queries.replays.replay import Replay, replay_by_id
from errata.warehouse.queries.vocabulary import issue_text

# Kinds of entries of the timeline, with their words.
TIMELINE = (("all", "All"), ("click", "Clicks"), ("page", "Pages"))
DETAILS = (("network", "Network"), ("console", "Console"))
ERRORS = (("error", "Errors"),)
# What led to an error is worth seeing.
BEFORE_ERROR_MS = 3000


@dataclass(frozen=True)
class ReplayView:
    """`at_ms`: since the replay began, where it is opened."""

    replay: Replay
    errors: Sequence[ReplayError]
    at_ms: int
    error_is_outside: bool
    """Whether the error to open it at happened before its first or after its last event."""
    opened_event: str = ""
    """The event of the error that it is opened at."""

    @property
    def shown_errors(self) -> Sequence[dict[str, object]]:
        """For the player's page."""
        return [
            {
                "at": error.at_ms,
                "title": error.type or error.shown_message,
                "text": error.shown_message if error.type else "",
                "level": error.level,
                "issue": issue_text(error.issue_id) if error.issue_id else "",
                "event": error.id,
            }
            for error in self.errors
        ]


def replay_view(
    warehouse: Warehouse, project_id: int, replay_id: UUID, at: str, event_id: str
) -> ReplayView | None:
    """None: no recording is stored. `at`: whole milliseconds since it began; else the moment before an error.
    Other texts are as none."""
    replay = replay_by_id(warehouse, project_id, replay_id)
    if replay is None:
        return None
    errors = errors_of_replay(warehouse, project_id, replay)
    error = next((one for one in errors if one.id == event_id), None)
    at_ms = int(at) if at.isascii() and at.isdecimal() and len(at) < 12 else 0
    if error is not None and not at:
        at_ms = round(error.at_ms) - BEFORE_ERROR_MS
    is_outside = error is not None and not 0 <= error.at_ms <= replay.duration_ms + BEFORE_ERROR_MS
    return ReplayView(
        replay, errors, max(0, min(at_ms, round(replay.duration_ms))), is_outside, error.id if error else ""
    )
