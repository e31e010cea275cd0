"""Whether the watch keeps up, as any node sees it in the state store."""

from dataclasses import dataclass
from datetime import datetime

from api.jobs.job import Duty
from errata.state.jobs import JobState

# With these many rounds missed, something is wrong; a takeover costs two.
ROUNDS_UNTIL_LATE = 4
GRACE_SECONDS = 60


@dataclass(frozen=True)
class Lateness:
    name: str
    ran_at: datetime | None
    late_seconds: int
    is_failing: bool
    run_count: int
    failure_count: int


def lateness(duties: list[Duty], states: list[JobState], now: datetime) -> list[Lateness]:
    """Of each duty in the list; one that never ran is not late, but has not run either."""
    by_name = {state.name: state for state in states}
    return [_of(duty, by_name.get(duty.name), now) for duty in duties]


def _of(duty: Duty, state: JobState | None, now: datetime) -> Lateness:
    if state is None or state.ran_at is None:
        failures = state.failure_count if state else 0
        return Lateness(duty.name, None, 0, True, 0, failures)
    overdue = (now - state.ran_at).total_seconds() - duty.every_seconds
    allowed = ROUNDS_UNTIL_LATE * duty.every_seconds + GRACE_SECONDS
    return Lateness(
        duty.name,
        state.ran_at,
        max(0, round(overdue)),
        overdue > allowed or bool(state.failure),
        state.run_count,
        state.failure_count,
    )
