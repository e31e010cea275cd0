"""The duty that records what the pipelines are near-certain of: one issue becomes part of another."""

from api.context import Context
from api.jobs.fair_schedule import Shares
from api.jobs.job import Duty, Turn
from api.membership import Membership
from errata.warehouse.queries.similar import to_join

NOBODY = ""


def joining_duty(context: Context) -> Duty:
    shares = Shares()

    def run(turn: Turn) -> None:
        projects = context.state.projects.ids()
        shares.each(
            turn, projects, "project {}".format, lambda project_id: join_near_certain(context, project_id)
        )

    return Duty("join_similar_issues", run)


def join_near_certain(context: Context, project_id: int) -> int:
    """How many issues were joined. People's decisions are looked at again at each of them."""
    membership = Membership(context.state, context.warehouse, context.read, project_id, NOBODY)
    return sum(
        membership.join(pair.issue_id, pair.other_issue_id, {"score": pair.score, **pair.reason})
        for pair in to_join(context.read, project_id)
    )
