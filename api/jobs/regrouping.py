"""The duty that finishes regroupings: what a process that ended left undone, and what arrived meanwhile."""

from api.context import Context
from api.jobs.fair_schedule import Shares
from api.jobs.job import Duty, Turn
from api.regrouping import Regroupings
from errata.state.projects import Project


def settling_duty(context: Context) -> Duty:
    shares = Shares()

    def settle(each: tuple[int, Project]) -> None:
        organization_id, project = each
        Regroupings(
            context.state, context.warehouse, context.read, organization_id, project.slug, project.id
        ).settle_if_needed()

    def run(turn: Turn) -> None:
        shares.each(turn, context.state.projects.all(), lambda each: f"project {each[1].id}", settle)

    return Duty("settle_grouping", run)
