"""The job that unresolves resolved issues that occurred again."""

from collections.abc import Sequence
from functools import partial

from api.context import Context
from api.jobs.failures import Failed, bisected, noted_in, raise_if_any
from api.jobs.job import Job, Run
from errata.resolution.decisions import Decision, Decisions, batch_of
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.changes import Changes
from errata.warehouse.queries.issues.regressions import Regression, regressions_of_projects
from errata.workflow.vocabulary import Word

NOBODY = ""
EVERY_SECONDS = 5.0


def regression_job(context: Context) -> Job:
    changes = Changes(context.read)

    def work(run: Run) -> None:
        projects = context.read.reachable(context.state.projects.ids())
        probe = changes.probe(projects) if projects else None
        if probe is None:
            return
        if mark_regressions(context.warehouse, context.read, projects):
            run.wake("alerts")
        changes.note(probe)

    return Job("regressions", work, EVERY_SECONDS)


def mark_regressions(warehouse: Warehouse, read: Warehouse, projects: Sequence[int]) -> int:
    """The count of issues that regressed since the last run. Two nodes that find the same one write it once.

    Raises ItemsFailed at the end if some projects have failed.
    """
    failed: Failed = []
    found = bisected(projects, partial(regressions_of_projects, read), failed) if projects else []
    for regression in sorted(found, key=lambda regression: regression.project_id):
        with noted_in(failed, f"project {regression.project_id}"):
            _append(warehouse, regression.project_id, regression)
    raise_if_any(failed)
    return len(found)


def _append(warehouse: Warehouse, project_id: int, regression: Regression) -> None:
    detail = {"occurred_at": regression.last_occurred_at.isoformat(timespec="milliseconds")}
    if regression.release:
        detail["release"] = regression.release
    decision = Decision(regression.issue_id, Word.REGRESS, detail, about=regression.action_id)
    Decisions(warehouse, project_id, NOBODY).append([decision], batch_of(regression.action_id, Word.REGRESS))
