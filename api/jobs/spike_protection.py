"""The job that learns what projects with spike protection deliver in an ordinary week."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from statistics import median

from api.context import Context
from api.jobs.job import Job, Run
from errata.state.ingest_limits import NOT_LEARNED
from errata.warehouse.queries.delivery.usage import busiest_minutes

EVERY_SECONDS = 600.0
WEEK = timedelta(days=7)
# Of a week: fewer say nothing about what is ordinary.
FEWEST_DAYS = 5
TIMES_ORDINARY = 5
# A small project may be bursty.
FEWEST_LINES = 1_000


def spike_protection_job(context: Context) -> Job:
    def work(_run: Run) -> None:
        limits = context.state.ingest_limits
        known = limits.spike_protected()
        if not known:
            return
        today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        projects = context.read.reachable(known)
        found = busiest_minutes(context.read, projects, today - WEEK, today)
        for project_id in projects:
            before = known[project_id]
            if (learned := spike_limit(found.get(project_id, ()))) != before:
                limits.learn(project_id, learned)

    return Job("spike_protection", work, EVERY_SECONDS)


def spike_limit(busiest: Sequence[int]) -> int:
    """Lines per minute that are no spike yet: five times the median of a week's busiest minutes, one a day.

    One day's spike does not move a median, and a new level that stays does within four days. NOT_LEARNED with
    deliveries on fewer than five days.
    """
    if len(busiest) < FEWEST_DAYS:
        return NOT_LEARNED
    return max(FEWEST_LINES, round(TIMES_ORDINARY * median(busiest)))
