"""How many independent samples the windows of a budget had lately, and what would give it enough."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from errata.budgets.history import History
from errata.budgets.limit import WINDOWS, Limit
from errata.budgets.state import AGREEING, OF_LATEST
from errata.reports import formats

LATELY = timedelta(days=7)


@dataclass(frozen=True)
class Samples:
    """Independent samples of the windows that ended in the last 7 days. `longer`: a window that may have
    enough now, in hours, with how many it has at most; None: there is none."""

    limit: Limit
    counts: tuple[int, ...]
    longer: tuple[int, int] | None

    @property
    def enough_count(self) -> int:
        return sum(count >= self.limit.least_samples for count in self.counts)

    @property
    def is_enough(self) -> bool:
        """Whether as many windows as a state needs have enough."""
        return self.enough_count * OF_LATEST >= len(self.counts) * AGREEING

    @property
    def sentence(self) -> str:
        least, most = min(self.counts), max(self.counts)
        had = (
            f"{least:,} to {most:,} independent samples"
            if least != most
            else formats.plural(most, "independent sample")
        )
        enough = {0: "none", len(self.counts): "all"}.get(self.enough_count, f"{self.enough_count:,}")
        length = WINDOWS[self.limit.window_hours]
        return (
            f"Windows of {'1 hour' if length == 'hour' else length} had {had} in the last 7 days; "
            f"{enough} of {len(self.counts):,} reached the minimum of {self.limit.least_samples:,}."
        )

    @property
    def advice(self) -> str:
        """Empty where there are enough."""
        if self.is_enough:
            return ""
        ways = []
        if self.longer is not None:
            hours, count = self.longer
            ways.append(f"choose a window of {WINDOWS[hours]} (up to {count:,} independent samples now)")
        # As many windows as a state needs have at least so many.
        if usual := sorted(self.counts)[len(self.counts) * (OF_LATEST - AGREEING) // OF_LATEST]:
            ways.append(f"lower the minimum to {usual:,}")
        if not ways:
            return "Too few for any window: check pages, environment and device."
        return f"To get a state, {', or '.join(ways)}."


def samples(limit: Limit, history: History) -> Samples | None:
    """None before the first window."""
    if history.current is None:
        return None
    latest = history.current.at
    counts = {each.at: each.independent_count for each in history.evaluations}
    lately = tuple(count for at, count in counts.items() if at > latest - LATELY)
    return Samples(limit, lately, _longer(limit, latest, counts))


def _longer(limit: Limit, latest: datetime, counts: Mapping[datetime, int]) -> tuple[int, int] | None:
    """A longer window is made of windows of the present length, one after the other. With the same users in
    each it has fewer independent samples."""
    for hours in WINDOWS:
        if hours > limit.window_hours:
            parts = range(hours // limit.window_hours)
            count = sum(counts.get(latest - part * limit.window, 0) for part in parts)
            if count >= limit.least_samples:
                return hours, count
    return None
