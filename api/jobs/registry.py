"""The list of what is watched: one line a duty."""

from api.context import Context
from api.jobs.alert_delivery import delivery_duty
from api.jobs.alert_evaluation import evaluation_duty
from api.jobs.auto_merge import joining_duty
from api.jobs.job import Duty
from api.jobs.regressions import regression_duty, waking_duty
from api.jobs.regrouping import settling_duty
from api.jobs.report_mails import report_duty
from api.jobs.tracker_links import linking_duty


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
