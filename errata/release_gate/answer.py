"""The service's answer about a release: as an exit code, and its figures in words."""

from collections.abc import Callable, Mapping
from typing import Any

GOOD, WORSE, CANNOT_TELL = 0, 1, 3
CODES = {"worse": WORSE, "better": GOOD, "no_change": GOOD}


def exit_code(told: Mapping[str, Any]) -> int:
    """What cannot be told is never good."""
    return CODES.get(told.get("overall_verdict", ""), CANNOT_TELL)


def word(told: Mapping[str, Any]) -> str:
    return {GOOD: "not worse", WORSE: "worse"}.get(exit_code(told), "can't tell yet whether it is worse")


def figures(told: Mapping[str, Any]) -> list[str]:
    """A line for each metric that was compared."""
    rows = []
    if told.get("effect_ratio") is not None:
        span = _span(told, "effect_ratio", lambda value: f"{100 * value:+.1f}%")
        rows.append(f"load time: {span}, of {told['compared_count']:,} page loads")
    if told.get("error_ratio") is not None:
        span = _span(told, "error_ratio", lambda value: f"{value:.2f}", " times")
        rows.append(f"errors per {told['errors_per']}: {span}, of {told['compared_error_count']:,}")
    if told.get("crash_free_change") is not None:
        span = _span(told, "crash_free_change", lambda value: f"{100 * value:+.2f}", " points")
        rows.append(f"crash-free sessions: {span} (doesn't affect the verdict)")
    return rows


def _span(told: Mapping[str, Any], name: str, shown: Callable[[float], str], unit: str = "") -> str:
    """The value with its 95% interval."""
    low, high = told[f"{name}_low"], told[f"{name}_high"]
    return f"{shown(told[name])}{unit} ({shown(low)} to {shown(high)})"
