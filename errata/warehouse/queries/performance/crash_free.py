"""Sessions and users without a crash, in a period and the one before it."""

from dataclasses import dataclass

from errata.performance.filters import Filters
from errata.warehouse import sql
from errata.warehouse.client import Warehouse


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
    parameters = {
        "project_id": project_id,
        "environment": filters.environment,
        "before": chosen.before,
        "since": chosen.since,
        "until": chosen.until,
    }
    found = {row["is_before"]: row for row in warehouse.rows(sql.query("sessions_of_periods"), parameters)}
    own, before = (
        Crashes(row["session_count"], row["crashed_count"], row["user_count"], row["crashed_user_count"])
        if (row := found.get(is_before))
        else Crashes()
        for is_before in (False, True)
    )
    return own, before
