"""When a budget counts as kept or breached: a change takes three of four evaluations that say so."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from errata.budgets.reason import Reason

AGREEING, OF_LATEST = 3, 4


class State(StrEnum):
    KEPT = "kept"
    BREACHED = "breached"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A window that ended `at` a moment. `independent_count`: what its samples are worth, as they are of
    fewer users. `value` is None without samples; `outcome` is this window's alone, `state` what three of the
    latest four windows agree on, or else what it was before; `doubt` says why the outcome is unknown."""

    at: datetime
    sample_count: int
    independent_count: int
    value: float | None
    outcome: State
    state: State = State.UNKNOWN
    doubt: Reason = Reason.NONE
    at_least: float | None = None
    """What the value is at least, as sure as a breach must be; None: no bound."""
    at_most: float | None = None
    """What the value may truly be where loads had not ended; infinite: no bound. None: it is the value."""
    largest_ratio: float = 0.0
    """The share of samples of the user, or trace, with most."""

    @property
    def is_measured(self) -> bool:
        """Whether its samples were enough, also where chance leaves the outcome unknown."""
        return self.value is not None and self.doubt not in (Reason.FEW_SAMPLES, Reason.FEW_USERS)

    @property
    def largest(self) -> float | None:
        """What the value may truly be; None without samples or without a bound."""
        known = self.value if self.at_most is None else self.at_most
        return known if known is not None and math.isfinite(known) else None


@dataclass(frozen=True, slots=True)
class Crossing:
    """A budget became breached, or kept again."""

    at: datetime
    state: State
    value: float | None
    sample_count: int
    independent_count: int


def outcome(
    value: float | None,
    independent_count: int,
    threshold: float,
    least_samples: int,
    at_least: float | None,
    at_most: float | None = None,
) -> State:
    """Breached only if the figure is over the threshold by more than chance, kept only if it could not be
    over it with other ends of its unended loads. `at_least` and `at_most`: as in Evaluation."""
    if value is None or independent_count < least_samples:
        return State.UNKNOWN
    if value > threshold:
        return State.BREACHED if at_least is not None and at_least > threshold else State.UNKNOWN
    return State.KEPT if at_most is None or at_most <= threshold else State.UNKNOWN


def doubt(
    value: float | None, sample_count: int, independent_count: int, threshold: float, least_samples: int
) -> Reason:
    """Why the outcome of such a window is unknown, if it is."""
    if value is None or sample_count < least_samples:
        return Reason.FEW_SAMPLES
    if independent_count < least_samples:
        return Reason.FEW_USERS
    return Reason.WITHIN_CHANCE if value > threshold else Reason.UNENDED_LOADS


def states_of(outcomes: Sequence[State]) -> list[State]:
    """The state after each outcome; unknown before the first."""
    states, state = list[State](), State.UNKNOWN
    for position in range(len(outcomes)):
        latest = outcomes[max(0, position + 1 - OF_LATEST) : position + 1]
        state = next((word for word in State if latest.count(word) >= AGREEING), state)
        states.append(state)
    return states


def crossings(
    evaluations: Iterable[Evaluation], after: datetime, reported: State | None = None
) -> list[Crossing]:
    """Changes of the state to report, after a moment. `reported`: the last one reported; None: the state at
    that moment. Unknown states are not reported, and a budget that was never known counts as kept."""
    found, last = list[Crossing](), reported
    for each in evaluations:
        if each.state is State.UNKNOWN:
            continue
        if each.at <= after:
            last = last if reported else each.state
        elif each.state is not (last or State.KEPT):
            found.append(Crossing(each.at, each.state, each.value, each.sample_count, each.independent_count))
            last = each.state
    return found
