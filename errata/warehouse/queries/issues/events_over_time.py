"""Error events of a project over time."""

from datetime import datetime

from errata.clock import utc
from errata.period import TimeRange
from errata.warehouse import sql
from errata.warehouse.client import Warehouse


def events_over_time(
    warehouse: Warehouse, project_id: int, chosen: TimeRange, environment: str = "", release: str = ""
) -> dict[datetime, int]:
    """The count of events by the start of each step of the range's trend that has any; of all environments,
    or releases, where none is named."""
    is_by_hour = chosen.trend_step == "hour"
    since = chosen.trend_since
    parameters = {
        "project_id": project_id,
        "environment": environment,
        "release": release,
        "since": since if is_by_hour else since.replace(hour=0),
        "until": chosen.until,
        "by_hour": is_by_hour,
        "step": chosen.trend_step,
    }
    rows = warehouse.rows(sql.query("events_over_time"), parameters)
    return {utc(row["bucket_start"]): row["event_count"] for row in rows}
