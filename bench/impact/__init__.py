"""Releases judged on traffic of known truth: `python -m bench impact` (`--quick`: a tenth of the trials)."""

from bench.impact.release_trials import release_figures


def main() -> None:
    release_figures()
