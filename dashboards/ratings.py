"""How good a vital is, by the thresholds of web-vitals."""

from errata.performance.metric import PAGE_METRICS

WORDS = {"good": "good", "needs_improvement": "fair", "poor": "poor"}


def rating(metric: str, value: float | None) -> str:
    thresholds = PAGE_METRICS[metric].rating
    if value is None or thresholds is None:
        return ""
    good, poor = thresholds
    return "good" if value <= good else "needs_improvement" if value <= poor else "poor"
