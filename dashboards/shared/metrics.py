"""Metrics of page loads as pages write them: figures in their units, ratings by web-vitals thresholds."""

from errata.performance.metric import PAGE_METRICS, Unit
from errata.reports import figures

RATING_WORDS = {"good": "good", "needs_improvement": "fair", "poor": "poor"}


def unit_of(metric: str) -> Unit:
    return PAGE_METRICS[metric].unit


def figure(metric: str, value: float | None) -> str:
    return figures.figure(value, unit_of(metric))


def rating(metric: str, value: float | None) -> str:
    thresholds = PAGE_METRICS[metric].rating
    if value is None or thresholds is None:
        return ""
    good, poor = thresholds
    return "good" if value <= good else "needs_improvement" if value <= poor else "poor"
