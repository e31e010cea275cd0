"""The job that finishes regroupings: what a process that ended left undone, and what arrived meanwhile."""

from api.context import Context
from api.jobs.fair_schedule import FairSchedule
from api.jobs.job import Job, Run
from api.regrouping import Regroupings
from errata.state.projects import Project


def regrouping_job(context: Context) -> Job:
    schedule = FairSchedule()

    def settle(each: tuple[int, Project]) -> None:
        organization_id, project = each
        Regroupings(
            context.state, context.warehouse, context.read, organization_id, project.slug, project.id
        ).settle_if_needed()

    def work(run: Run) -> None:
        schedule.each(run, context.state.projects.all(), lambda each: f"project {each[1].id}", settle)

    return Job("settle_grouping", work)
