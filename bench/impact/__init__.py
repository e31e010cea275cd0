"""Trends judged on series of known truth: `python -m bench impact` (`--quick`: a tenth of the trials)."""

from bench.impact.trend_trials import trend_figures


def main() -> None:
    trend_figures()
