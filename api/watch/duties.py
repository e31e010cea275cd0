"""The list of what is watched: one line a duty."""

from api.alerts.delivering import delivery_duty
from api.alerts.evaluating import evaluation_duty
from api.context import Context
from api.joining import joining_duty
from api.linking import linking_duty
from api.reporting import report_duty
from api.returns import regression_duty, waking_duty
from api.settling import settling_duty
from api.watch.duty import Duty


def duties_of(context: Context) -> list[Duty]:
    """To add one: a module below api/ with `def x_duty(context: Context) -> Duty`, and its line here."""
    return [
        evaluation_duty(context),
        delivery_duty(context),
        regression_duty(context),
        linking_duty(context),
        waking_duty(context),
        settling_duty(context),
        joining_duty(context),
        report_duty(context),
    ]
