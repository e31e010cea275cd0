"""Sessions and users without a crash, in a period and the one before it."""

from dataclasses import dataclass
from datetime import datetime

from errata.clock import utc
from errata.performance.filters import Filters
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.typed_rows import typed


@dataclass(frozen=True, slots=True)
class Crashes:
    """`user_count`: identified users of sessions; sessions that the SDK counted have none."""

    session_count: int = 0
    crashed_count: int = 0
    user_count: int = 0
    crashed_user_count: int = 0

    @property
    def crash_free_sessions(self) -> float | None:
        return 1 - self.crashed_count / self.session_count if self.session_count else None

    @property
    def crash_free_users(self) -> float | None:
        return 1 - self.crashed_user_count / self.user_count if self.user_count else None


def crash_free(warehouse: Warehouse, project_id: int, filters: Filters) -> tuple[Crashes, Crashes]:
    """Of the period, and of the one before it, by period and environment alone."""
    chosen = filters.range
    found = _crashes(warehouse, project_id, filters, chosen.before, "period")
    return found.get(chosen.since, Crashes()), found.get(chosen.before, Crashes())


def crash_free_over_time(warehouse: Warehouse, project_id: int, filters: Filters) -> dict[datetime, Crashes]:
    """By the start of each step of the range's trend in which sessions began."""
    return _crashes(warehouse, project_id, filters, filters.range.since, filters.range.trend_step)


def _crashes(
    warehouse: Warehouse, project_id: int, filters: Filters, before: datetime, bucket: str
) -> dict[datetime, Crashes]:
    parameters = {
        "project_id": project_id,
        "environment": filters.environment,
        "before": before,
        "since": filters.range.since,
        "until": filters.range.until,
        "bucket": bucket,
    }
    rows = warehouse.rows(sql.query("sessions_of_periods"), parameters)
    return {utc(row["bucket_start"]): typed(Crashes, row) for row in rows}
