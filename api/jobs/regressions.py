"""The duty that writes down what brings decided issues back: nobody's actions, each about one decision."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from uuid import UUID, uuid5

from api.context import Context
from api.decisions import Decision, Decisions
from api.jobs.fair_schedule import Failed, asked_by_halves, noted_in, raise_if_any
from api.jobs.job import Duty, Turn
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.changes import Changes
from errata.warehouse.queries.regressions import Regression, regressions_of_projects
from errata.warehouse.queries.workflow import Waiting, waiting_issues
from errata.workflow.escalation import forecast
from errata.workflow.vocabulary import Word

NOBODY = ""
EVERY_SECONDS = 5.0


def regression_duty(context: Context) -> Duty:
    """Resolved issues that occurred again are unresolved within seconds."""
    changes = Changes(context.read)

    def run(turn: Turn) -> None:
        projects = context.state.projects.ids()
        look = changes.look(projects) if projects else None
        if look is None:
            return
        if mark_regressions(context.warehouse, context.read, projects):
            turn.wake("alerts")
        changes.note(look)

    return Duty("regressions", run, EVERY_SECONDS)


def mark_regressions(warehouse: Warehouse, read: Warehouse, projects: Sequence[int]) -> int:
    """How many issues regressed since the last time. Two nodes that find the same write it once.

    Raises ItemsFailed when every project has got its answer, but those that it names.
    """
    failed: Failed = []
    found = asked_by_halves(projects, partial(regressions_of_projects, read), failed) if projects else []
    for regression in sorted(found, key=lambda regression: regression.project_id):
        with noted_in(failed, f"project {regression.project_id}"):
            _append(warehouse, regression.project_id, regression)
    raise_if_any(failed)
    return len(found)


def waking_duty(context: Context) -> Duty:
    """Ignored issues come back when what they wait for has come."""
    changes = Changes(context.read)

    def run(turn: Turn) -> None:
        projects = context.state.projects.ids()
        # With the hour changes what is expected of it, though nothing came in.
        hour = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
        look = changes.look(projects, hour) if projects else None
        if look is None:
            return
        if wake_ignored(context.warehouse, context.read, projects):
            turn.wake("alerts")
        changes.note(look)

    return Duty("wakes", run)


def wake_ignored(warehouse: Warehouse, read: Warehouse, projects: Sequence[int]) -> int:
    """How many came back; written once by however many nodes find them.

    Raises ItemsFailed when every project has got its answer, but those that it names.
    """
    failed: Failed = []
    count = 0
    for waiting in asked_by_halves(projects, partial(waiting_issues, read), failed) if projects else []:
        with noted_in(failed, f"project {waiting.project_id}"):
            count += _wake(warehouse, waiting)
    raise_if_any(failed)
    return count


def _wake(warehouse: Warehouse, waiting: Waiting) -> bool:
    reason = reason_to_wake(waiting)
    if reason:
        decision = Decision(waiting.issue_id, Word.WAKE, {"reason": reason}, about=waiting.action_id)
        once = _once(waiting.action_id, Word.WAKE)
        Decisions(warehouse, waiting.project_id, NOBODY).append([decision], once)
    return bool(reason)


def reason_to_wake(waiting: Waiting) -> str:
    """Empty while it goes on waiting."""
    kind, limit = waiting.condition["kind"], waiting.condition.get("count", 0)
    if kind == "escalating":
        expected = forecast(waiting.history)
        if expected is None or waiting.hour_count <= expected.limit:
            return ""
        return (
            f"it escalates: {waiting.hour_count:,} events in an hour, up to {expected.limit:,} were expected "
            f"by {expected.basis}"
        )
    count = waiting.event_count if kind == "events" else waiting.user_count
    return f"{count:,} {kind} since, {limit:,} were waited for" if count >= limit else ""


def _append(warehouse: Warehouse, project_id: int, regression: Regression) -> None:
    detail = {"occurred_at": regression.last_occurred_at.isoformat(timespec="milliseconds")}
    if regression.release:
        detail["release"] = regression.release
    decision = Decision(regression.issue_id, Word.REGRESS, detail, about=regression.action_id)
    Decisions(warehouse, project_id, NOBODY).append([decision], _once(regression.action_id, Word.REGRESS))


def _once(action_id: UUID, word: Word) -> UUID:
    return uuid5(action_id, word.value)
