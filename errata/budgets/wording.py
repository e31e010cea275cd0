"""Budgets in words, for messages and the command line; the pages write numbers in their own way."""

from errata.budgets.limit import WINDOWS, Limit
from errata.budgets.metric import Unit
from errata.budgets.state import State


def figure(value: float | None, unit: Unit) -> str:
    """2,503 ms, 312.5 KB, 0.12, 1.5%: never rounded so far that a breach would look like the budget."""
    if value is None:
        return "–"
    match unit:
        case Unit.MS:
            return f"{_short(value, 1 if value < 100 else 0)} ms"
        case Unit.BYTES:
            return f"{_short(value / 1000, 1)} KB"
        case Unit.RATIO:
            return f"{_short(value * 100, 2)}%"
    return _short(value, 3)


def measure(limit: Limit) -> str:
    """Total load time p75 of /checkout/*"""
    metric = limit.measured
    statistic = "" if metric.unit is Unit.RATIO else f" {limit.statistic}"
    return f"{metric.title}{statistic}" + (f" of {limit.pattern}" if limit.pattern else "")


def scope(limit: Limit) -> str:
    """production, mobile, last 24 hours"""
    return ", ".join(filter(None, (limit.environment, limit.device, f"last {WINDOWS[limit.window_hours]}")))


def promise(limit: Limit) -> str:
    return f"{measure(limit)} at most {figure(limit.threshold, limit.measured.unit)} ({scope(limit)})"


def told(limit: Limit, state: State, value: float | None) -> str:
    """What a crossing says."""
    unit = limit.measured.unit
    limited = figure(limit.threshold, unit)
    if state is State.BREACHED:
        return f"{measure(limit)} is {figure(value, unit)}, over the budget of {limited}"
    return f"{measure(limit)} is {figure(value, unit)}, within the budget of {limited} again"


def _short(value: float, digits: int) -> str:
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
