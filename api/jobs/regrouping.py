"""The job that completes the work of an ended process: regroupings, and stored assignments and states."""

from api.context import Context
from api.jobs.fair_schedule import FairSchedule
from api.jobs.job import Job, Run
from api.regrouping import Regroupings
from errata.resolution.assignments import put_right
from errata.state.projects import Project


def regrouping_job(context: Context) -> Job:
    schedule, compared = FairSchedule(), set[int]()

    def complete(each: tuple[int, Project]) -> None:
        organization_id, project = each
        # Once a process: interrupted work dates from before this process began.
        if project.id not in compared:
            put_right(context.warehouse, [project.id])
            compared.add(project.id)
        Regroupings(
            context.state, context.warehouse, context.read, organization_id, project.slug, project.id
        ).complete_if_needed()

    def work(run: Run) -> None:
        schedule.each(run, context.state.projects.all(), lambda each: f"project {each[1].id}", complete)

    return Job("settle_grouping", work)
