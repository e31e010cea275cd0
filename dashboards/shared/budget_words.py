"""Figures and states of budgets as pages write them."""

from collections.abc import Mapping

from errata.budgets.history import History
from errata.budgets.limit import WINDOWS, Limit
from errata.budgets.reason import Reason
from errata.budgets.state import Evaluation, State
from errata.budgets.wording import independent
from errata.performance.metric import Unit
from errata.reports import formats
from errata.reports.figures import apart, figure

__all__ = [
    "ICONS",
    "REASONS",
    "STATES",
    "apart",
    "figure",
    "independent",
    "measure",
    "not_yet",
    "place",
    "reason",
]

STATES: Mapping[State, str] = {State.KEPT: "kept", State.BREACHED: "breached", State.UNKNOWN: "unknown"}
ICONS: Mapping[State, str] = {State.KEPT: "resolved", State.BREACHED: "error", State.UNKNOWN: "ignored"}
REASONS: Mapping[Reason, str] = {
    Reason.NONE: "",
    Reason.NOT_BUILT: "no data built yet",
    Reason.BUILD_TOO_OLD: "the last build is over 2 hours old",
    Reason.FEW_SAMPLES: "too few samples",
    Reason.FEW_USERS: "not enough data",
    Reason.WITHIN_CHANCE: "not enough data",
    Reason.FEW_WINDOWS: "three of four windows must agree",
    Reason.UNENDED_LOADS: "loads that had not finished could exceed it",
    Reason.FAILED: "the check failed",
}

# Kish's effective size is below 100 if one user makes so much of a window.
DOMINATING = 0.1
NOT_YET: Mapping[State, str] = {
    State.BREACHED: "over budget now, not yet breached",
    State.KEPT: "within budget now, not yet kept",
}


def reason(history: History, limit: Limit) -> str:
    """Why the state is unknown, and what a new budget waits for."""
    words = REASONS[history.reason]
    if history.current is None:
        return words
    if history.reason in (Reason.FEW_USERS, Reason.WITHIN_CHANCE):
        return f"{words}: {_why(history.current, limit)}"
    if history.reason is not Reason.FEW_WINDOWS:
        return words
    known_at = history.current.at + history.missing_count * limit.step
    return f"{words}, at the earliest {formats.short_minute(known_at)} UTC"


def _why(current: Evaluation, limit: Limit) -> str:
    if current.doubt is Reason.WITHIN_CHANCE:
        return f"over the limit by no more than chance ({independent(current)})"
    return f"{independent(current)}, at least {limit.least_samples:,} needed{dominating(current)}"


def dominating(current: Evaluation) -> str:
    """The share of the user who makes much of a window; empty: nobody does."""
    if current.largest_ratio < DOMINATING:
        return ""
    return f"; one user or trace made {formats.ratio(current.largest_ratio)} of them"


def not_yet(history: History) -> str:
    """Where the latest window contradicts the state, which changes when three of four agree."""
    if history.reason or history.current is None or history.current.outcome in (State.UNKNOWN, history.state):
        return ""
    return NOT_YET[history.current.outcome]


def place(limit: Limit) -> str:
    """/checkout/* · production · mobile · over 24 hours"""
    window = "1 hour" if limit.window_hours == 1 else WINDOWS[limit.window_hours]
    what = limit.pattern or ("all pages" if limit.measured.is_of_pages else "all endpoints")
    return " · ".join(filter(None, (what, limit.environment, limit.device, f"over {window}")))


def measure(limit: Limit) -> str:
    return (
        limit.measured.title
        if limit.measured.unit is Unit.RATIO
        else f"{limit.measured.title} {limit.statistic}"
    )
