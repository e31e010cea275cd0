"""What a duty looks at, one item after another: what one fails with, or takes long for, costs no other its
turn."""

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from api.jobs.job import Turn
from errata.errors import ErrataError
from errata.warehouse.client import QueryFailed

log = logging.getLogger("api.jobs")

Item = TypeVar("Item")
Answer = TypeVar("Answer")
Failed = list[tuple[str, Exception]]

# Whoever needs longer is put off: its other items are looked at in the next rounds.
SECONDS_A_ROUND = 10.0


class ItemsFailed(ErrataError):
    """The others were looked at, and these are again in the next round."""

    code = "duty_items_failed"

    def __init__(self, names: list[str], first: Exception) -> None:
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        super().__init__(f"{names[0]}{more} failed: {type(first).__name__}: {first}")
        self.names = names


def asked_by_halves(
    projects: Sequence[int], ask: Callable[[Sequence[int]], Sequence[Answer]], failed: Failed
) -> list[Answer]:
    """One question about all; where it fails, about fewer at a time, until those it fails for are alone."""
    try:
        return list(ask(projects))
    except QueryFailed as error:
        if len(projects) == 1:
            log.warning("The question about project %s failed: %s", projects[0], error)
            failed.append((f"project {projects[0]}", error))
            return []
    half = len(projects) // 2
    return [
        answer for some in (projects[:half], projects[half:]) for answer in asked_by_halves(some, ask, failed)
    ]


@contextmanager
def noted_in(failed: Failed, name: str) -> Iterator[None]:
    """What is within may fail, and what follows is done all the same."""
    try:
        yield
    except Exception as error:
        log.exception("Processing %s failed", name)
        failed.append((name, error))


def raise_if_any(failed: Failed) -> None:
    """Raises ItemsFailed."""
    if failed:
        raise ItemsFailed([name for name, _ in failed], failed[0][1])


class Shares:
    """Of one duty. The owners (projects, channels) that needed most time in the last round come last."""

    def __init__(self, seconds: float = SECONDS_A_ROUND, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._spent: dict[object, float] = {}

    def each(
        self,
        turn: Turn,
        items: Iterable[Item],
        owner: Callable[[Item], object],
        look: Callable[[Item], object],
    ) -> None:
        """Raises ItemsFailed when all have been looked at and some failed."""
        spent: defaultdict[object, float] = defaultdict(float)
        failed: Failed = []
        put_off: set[object] = set()
        for item in sorted(items, key=lambda item: self._spent.get(owner(item), 0.0)):
            whose = owner(item)
            if spent[whose] >= self._seconds:
                put_off.add(whose)
                continue
            if not turn.goes_on():
                break
            began = self._clock()
            with noted_in(failed, str(whose)):
                look(item)
            spent[whose] += self._clock() - began
        self._spent = dict(spent)
        for whose in sorted(put_off, key=str):
            log.warning("%s took %.1f s: the rest is put off to the next round", whose, spent[whose])
        raise_if_any(failed)
