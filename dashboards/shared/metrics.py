"""Metrics of page loads as pages write them: figures in their units, ratings by web-vitals thresholds."""

from errata.performance.metric import PAGE_METRICS, Unit
from errata.reports import figures

RATING_WORDS = {"good": "good", "needs_improvement": "fair", "poor": "poor"}


def unit_of(metric: str) -> Unit:
    return PAGE_METRICS[metric].unit


def figure(metric: str, value: float | None) -> str:
    return figures.figure(value, unit_of(metric))


def around(p50: str, p95: str) -> str:
    """What a p75 stands between: on two lines where there is no room for one, and no figure without its
    unit."""
    return " · ".join(f"{name} {value}".replace(" ", "\xa0") for name, value in (("p50", p50), ("p95", p95)))


def rating(metric: str, value: float | None) -> str:
    thresholds = PAGE_METRICS[metric].rating
    if value is None or thresholds is None:
        return ""
    good, poor = thresholds
    return "good" if value <= good else "needs_improvement" if value <= poor else "poor"
