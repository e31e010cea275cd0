"""Budgets in words, for messages and the command line."""

from errata.budgets.limit import WINDOWS, Limit
from errata.budgets.state import Crossing, Evaluation, State
from errata.performance.metric import Unit
from errata.reports import formats
from errata.reports.figures import apart, precise


def measure(limit: Limit) -> str:
    """Total load time p75 of /checkout/*"""
    metric = limit.measured
    statistic = "" if metric.unit is Unit.RATIO else f" {limit.statistic}"
    return f"{metric.title}{statistic}" + (f" of {limit.pattern}" if limit.pattern else "")


def scope(limit: Limit) -> str:
    """production, mobile, last 24 hours"""
    return ", ".join(filter(None, (limit.environment, limit.device, f"last {WINDOWS[limit.window_hours]}")))


def promise(limit: Limit) -> str:
    return f"{measure(limit)} at most {precise(limit.threshold, limit.measured.unit)} ({scope(limit)})"


def independent(window: Evaluation | Crossing) -> str:
    """412 samples, 38 independent"""
    return f"{formats.plural(window.sample_count, 'sample')}, {window.independent_count:,} independent"


def crossing_sentence(limit: Limit, state: State, value: float | None) -> str:
    """The message of a crossing."""
    unit = limit.measured.unit
    told, limited = apart(value, limit.threshold, unit, precise)
    if state is State.BREACHED:
        return f"{measure(limit)} is {told}, over the budget of {limited}"
    return f"{measure(limit)} is {told}, within the budget of {limited} again"
