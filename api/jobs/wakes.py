"""The job that brings ignored issues back when their condition is met."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial

from api.context import Context
from api.jobs.failures import Failed, bisected, noted_in, raise_if_any
from api.jobs.job import Job, Run
from errata.clock import EPOCH
from errata.resolution.decisions import Decision, Decisions, batch_of
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.changes import Changes
from errata.warehouse.queries.issues.waiting import Waiting, waiting_issues
from errata.workflow.escalation import forecast
from errata.workflow.vocabulary import Word

NOBODY = ""
HOUR = timedelta(hours=1)


def wake_job(context: Context) -> Job:
    changes = Changes(context.read)

    def work(run: Run) -> None:
        projects = context.read.reachable(context.state.projects.ids())
        # The expected count changes with the hour, even without new events.
        hour = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
        probe = changes.probe(projects, hour) if projects else None
        if probe is None:
            return
        if wake_ignored(context.warehouse, context.read, projects):
            run.wake("alerts")
        changes.note(probe)

    return Job("wakes", work)


def wake_ignored(warehouse: Warehouse, read: Warehouse, projects: Sequence[int]) -> int:
    """The count of issues that came back. Several nodes that find the same one write it once.

    Raises ItemsFailed at the end if some projects have failed.
    """
    failed: Failed = []
    count = 0
    for waiting in bisected(projects, partial(waiting_issues, read), failed) if projects else []:
        with noted_in(failed, f"project {waiting.project_id}"):
            count += _wake(warehouse, waiting)
    raise_if_any(failed)
    return count


def _wake(warehouse: Warehouse, waiting: Waiting) -> bool:
    reason = reason_to_wake(waiting)
    if reason:
        decision = Decision(waiting.issue_id, Word.WAKE, {"reason": reason}, about=waiting.action_id)
        batch_id = batch_of(waiting.action_id, Word.WAKE)
        Decisions(warehouse, waiting.project_id, NOBODY).append([decision], batch_id)
    return bool(reason)


def reason_to_wake(waiting: Waiting) -> str:
    """The reason to wake; empty while the condition is not met."""
    kind, limit = waiting.condition["kind"], waiting.condition.get("count", 0)
    if kind == "escalating":
        expected = forecast(waiting.history, (datetime.now(UTC) - EPOCH) // HOUR)
        if expected is None or waiting.hour_count <= expected.limit:
            return ""
        return (
            f"escalating: {waiting.hour_count:,} events in an hour, at most {expected.limit:,} expected "
            f"from {expected.basis}"
        )
    count = waiting.event_count if kind == "events" else waiting.user_count
    return f"{count:,} {kind} since, limit {limit:,}" if count >= limit else ""
