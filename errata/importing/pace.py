"""New variants that an import sends: a project takes 1,000 per hour, and puts later ones in one issue.

The import waits instead, and leaves a part for events that the project receives meanwhile.
"""

from dataclasses import dataclass

MOST = 900
PER_SECOND = MOST / 3600


@dataclass
class Pace:
    """`left` new variants may be sent at `counted_at`, in seconds since 1970; more of them as time passes."""

    left: float = MOST
    counted_at: float = 0.0

    def wait_seconds(self, new: int, now: float) -> float:
        """How long to wait before so many new variants are sent."""
        return max(0.0, (min(new, MOST) - self._left_at(now)) / PER_SECOND)

    def take(self, new: int, now: float) -> None:
        self.left, self.counted_at = self._left_at(now) - new, now

    def _left_at(self, now: float) -> float:
        return min(MOST, self.left + max(0.0, now - self.counted_at) * PER_SECOND)
