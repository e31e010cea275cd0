"""The duty that finishes regroupings: what a process that ended left undone, and what arrived meanwhile."""

from api.context import Context
from api.regrouping import Regroupings
from api.watch.duty import Duty, Turn


def settling_duty(context: Context) -> Duty:
    def run(turn: Turn) -> None:
        for organization_id, project in context.state.every_project():
            if not turn.goes_on():
                return
            Regroupings(
                context.state, context.warehouse, context.read, organization_id, project.slug, project.id
            ).settle_if_needed()

    return Duty("settle_grouping", run)
