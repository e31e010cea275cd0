"""The job that notes when the service is up: its process runs, and its warehouse answers."""

from datetime import datetime

from api.context import Context
from api.jobs.job import Job, Run
from errata.warehouse.now import warehouse_now

EVERY_SECONDS = 10.0


def uptime_job(context: Context) -> Job:
    """Each start of a process begins a span, and so does the end of an outage of the warehouse."""
    began_at: datetime | None = None

    def work(_run: Run) -> None:
        nonlocal began_at
        began_before, began_at = began_at, None
        warehouse_now(context.read)
        began_at = began_before or context.state.database.now()
        context.state.uptimes.note(began_at)

    return Job("uptimes", work, EVERY_SECONDS)
