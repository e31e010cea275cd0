"""How good a vital is, by the thresholds of web-vitals."""

THRESHOLDS = {"lcp_ms": (2500, 4000), "inp_ms": (200, 500), "cls": (0.1, 0.25), "ttfb_ms": (800, 1800)}
WORDS = {"good": "good", "needs_improvement": "fair", "poor": "poor"}


def rating(metric: str, value: float | None) -> str:
    if value is None or metric not in THRESHOLDS:
        return ""
    good, poor = THRESHOLDS[metric]
    return "good" if value <= good else "needs_improvement" if value <= poor else "poor"
