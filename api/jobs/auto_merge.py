"""The job that merges issues that the pipelines found near-certainly the same."""

from api.context import Context
from api.jobs.fair_schedule import FairSchedule
from api.jobs.job import Job, Run
from api.membership import Membership
from errata.warehouse.queries.issue.similar import pairs_to_merge

NOBODY = ""


def auto_merge_job(context: Context) -> Job:
    schedule = FairSchedule()

    def work(run: Run) -> None:
        projects = context.state.projects.ids()
        schedule.each(
            run, projects, "project {}".format, lambda project_id: merge_near_certain(context, project_id)
        )

    return Job("join_similar_issues", work)


def merge_near_certain(context: Context, project_id: int) -> int:
    """The count of merged issues. People's decisions are read again for each of them."""
    membership = Membership(context.state, context.warehouse, context.read, project_id, NOBODY)
    return sum(
        membership.auto_merge(pair.issue_id, pair.other_issue_id, {"score": pair.score, **pair.reason})
        for pair in pairs_to_merge(context.read, project_id)
    )
