"""The health of jobs, as any node sees it in the state store."""

from dataclasses import dataclass
from datetime import datetime

from api.jobs.job import Job
from errata.state.job import JobState

# This many missed rounds mean a failure; a takeover costs two.
ROUNDS_UNTIL_LATE = 4
GRACE_SECONDS = 60


@dataclass(frozen=True)
class JobHealth:
    name: str
    ran_at: datetime | None
    late_seconds: int
    is_failing: bool
    run_count: int
    failure_count: int


def job_health(jobs: list[Job], states: list[JobState], now: datetime) -> list[JobHealth]:
    """The health of each job. A job that never ran fails, but is not late."""
    by_name = {state.name: state for state in states}
    return [_health(job, by_name.get(job.name), now) for job in jobs]


def _health(job: Job, state: JobState | None, now: datetime) -> JobHealth:
    if state is None or state.ran_at is None:
        failures = state.failure_count if state else 0
        return JobHealth(job.name, None, 0, True, 0, failures)
    overdue = (now - state.ran_at).total_seconds() - job.every_seconds
    allowed = ROUNDS_UNTIL_LATE * job.every_seconds + GRACE_SECONDS
    return JobHealth(
        job.name,
        state.ran_at,
        max(0, round(overdue)),
        overdue > allowed or bool(state.failure),
        state.run_count,
        state.failure_count,
    )
