"""The duty that finishes what a process that ended left undone: regroupings, and what the logs come to."""

from api.context import Context
from api.regrouping import Regroupings
from api.watch.duty import Duty, Turn
from api.watch.shares import Shares
from errata.state.projects import Project
from errata.warehouse.resolution import put_right


def settling_duty(context: Context) -> Duty:
    shares, compared = Shares(), set[int]()

    def settle(each: tuple[int, Project]) -> None:
        organization_id, project = each
        # Once a process: what ended in the middle ended before this one began.
        if project.id not in compared:
            put_right(context.warehouse, [project.id])
            compared.add(project.id)
        Regroupings(
            context.state, context.warehouse, context.read, organization_id, project.slug, project.id
        ).settle_if_needed()

    def run(turn: Turn) -> None:
        shares.each(turn, context.state.every_project(), lambda each: f"project {each[1].id}", settle)

    return Duty("settle_grouping", run)
