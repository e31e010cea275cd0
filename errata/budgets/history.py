"""What a budget's evaluations say together."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from errata.budgets.reason import Reason
from errata.budgets.state import AGREEING, OF_LATEST, Evaluation, State

# Builds come every five minutes: what is older than this says nothing about now.
CURRENT_FOR = timedelta(hours=2)


@dataclass(frozen=True)
class History:
    """`evaluations` in their order; `as_of`: the last build of the mart, None before the first;
    `has_failed`: they could not be asked for."""

    evaluations: Sequence[Evaluation]
    as_of: datetime | None
    has_failed: bool = False

    @property
    def current(self) -> Evaluation | None:
        return self.evaluations[-1] if self.evaluations else None

    @property
    def reason(self) -> Reason:
        if self.as_of is None:
            return Reason.NOT_BUILT
        if self.as_of < datetime.now(UTC) - CURRENT_FOR:
            return Reason.BUILD_TOO_OLD
        if self.has_failed:
            return Reason.FAILED
        if self.state is not State.UNKNOWN:
            return Reason.NONE
        if self.current is None:
            return Reason.FEW_SAMPLES
        return self.current.doubt or Reason.FEW_WINDOWS

    @property
    def standing(self) -> State:
        """The state, where the last build is recent enough to tell it."""
        return State.UNKNOWN if self.reason else self.state

    @property
    def state(self) -> State:
        return self.current.state if self.current else State.UNKNOWN

    @property
    def missing_count(self) -> int:
        """How many more windows like the latest one make its outcome the state."""
        outcomes = [each.outcome for each in self.evaluations]
        return next(
            more
            for more in range(1, AGREEING + 1)
            if more == AGREEING or outcomes[more - OF_LATEST :].count(outcomes[-1]) + more >= AGREEING
        )

    @property
    def since(self) -> datetime | None:
        """When the state began; None: before the first evaluation here, or there is none."""
        state = self.state
        for later, each in zip(reversed(self.evaluations), reversed(self.evaluations[:-1]), strict=False):
            if each.state is not state:
                return later.at
        return None

    @property
    def known_count(self) -> int:
        return sum(each.outcome is not State.UNKNOWN for each in self.evaluations)

    @property
    def undecided_count(self) -> int:
        """Windows with enough samples that chance, or loads that had not ended, leave unknown."""
        return sum(each.outcome is State.UNKNOWN and each.is_measured for each in self.evaluations)

    @property
    def kept_count(self) -> int:
        return sum(each.outcome is State.KEPT for each in self.evaluations)

    @property
    def known_ratio(self) -> float | None:
        return self.known_count / len(self.evaluations) if self.evaluations else None

    @property
    def kept_ratio(self) -> float | None:
        """Of the windows whose outcome is known; None: none is."""
        return self.kept_count / self.known_count if self.known_count else None
