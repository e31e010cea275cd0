"""The job that deletes what projects no longer keep."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import date, timedelta

from api.context import Context
from api.jobs.job import Job, Run
from errata.warehouse.client import Warehouse
from errata.warehouse.now import warehouse_now
from errata.warehouse.queries import expiry
from errata.warehouse.retention import KEPT, Retention

EVERY_SECONDS = 600.0
# A build that began before it could know still reads the rows.
KNOWN_FOR = timedelta(hours=6)


def retention_job(context: Context) -> Job:
    def work(run: Run) -> None:
        retentions = context.state.retention.all()
        for shard, projects in context.warehouse.by_shard(context.warehouse.reachable(retentions)):
            expire(shard, {each: retentions[each] for each in projects}, run.goes_on)

    return Job("retention", work, EVERY_SECONDS)


def expire(
    warehouse: Warehouse,
    retentions: Mapping[int, Retention],
    goes_on: Callable[[], bool],
    known_for: timedelta = KNOWN_FOR,
) -> int:
    """Records what has expired, then deletes what was recorded long enough ago. Returns the number of days
    of tables that lost rows."""
    if not retentions:
        return 0
    now = warehouse_now(warehouse)
    known, wanted = expiry.recorded(warehouse, now), expired(retentions, now.date())
    expiry.record(
        warehouse, {key: through for key, through in wanted.items() if through > known.get(key, date.min)}
    )
    by_table = defaultdict[str, dict[int, date]](dict)
    for (project_id, table), through in expiry.recorded(warehouse, now - known_for).items():
        if (project_id, table) in wanted:
            by_table[table][project_id] = min(through, wanted[project_id, table])
    return sum(
        expiry.remove_expired(warehouse, table, throughs, goes_on) for table, throughs in by_table.items()
    )


def expired(retentions: Mapping[int, Retention], today: date) -> expiry.Throughs:
    """The last expired day of each project's tables with a retention of their own."""
    return {
        (project_id, table): today - timedelta(days=days + 1)
        for project_id, retention in retentions.items()
        for kind, days in retention.own.items()
        for table in KEPT[kind].most_days
    }
