"""When a budget counts as kept or breached: a change takes three of four evaluations that say so."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

AGREEING, OF_LATEST = 3, 4


class State(StrEnum):
    KEPT = "kept"
    BREACHED = "breached"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A window that ended `at` a moment. `value` is None without samples; `outcome` is this window's alone,
    `state` what three of the latest four windows agree on, or else what it was before."""

    at: datetime
    sample_count: int
    value: float | None
    outcome: State
    state: State = State.UNKNOWN
    at_most: float | None = None
    """What the value may truly be where loads had not ended; infinite: no bound. None: it is the value."""

    @property
    def largest(self) -> float | None:
        """What the value may truly be; None without samples or without a bound."""
        known = self.value if self.at_most is None else self.at_most
        return known if known is not None and math.isfinite(known) else None

    @property
    def is_open(self) -> bool:
        """Whether only loads that had not ended could tell if the limit was kept."""
        return self.outcome is State.UNKNOWN and self.at_most is not None


@dataclass(frozen=True, slots=True)
class Crossing:
    """A budget became breached, or kept again."""

    at: datetime
    state: State
    value: float | None
    sample_count: int


def outcome(
    value: float | None,
    sample_count: int,
    threshold: float,
    least_samples: int,
    at_most: float | None = None,
) -> State:
    """Unknown, too, where the value is within the threshold and `at_most` is not."""
    if value is None or sample_count < least_samples:
        return State.UNKNOWN
    if value > threshold:
        return State.BREACHED
    return State.KEPT if at_most is None or at_most <= threshold else State.UNKNOWN


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
            found.append(Crossing(each.at, each.state, each.value, each.sample_count))
            last = each.state
    return found
