"""The order in which a job goes through its items, so that a slow owner holds up no other."""

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import TypeVar

from api.jobs.failures import Failed, noted_in, raise_if_any
from api.jobs.job import Run

log = logging.getLogger("api.jobs")

Item = TypeVar("Item")

# The rest of an owner's items is deferred to the next run.
SECONDS_A_RUN = 10.0


class FairSchedule:
    """Owners (projects, channels) that took the most time in the last run come last in the next."""

    def __init__(self, seconds: float = SECONDS_A_RUN, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._spent: dict[object, float] = {}

    def each(
        self,
        run: Run,
        items: Iterable[Item],
        owner: Callable[[Item], object],
        work: Callable[[Item], object],
    ) -> None:
        """Runs the work for each item. Raises ItemsFailed at the end if some have failed."""
        spent: defaultdict[object, float] = defaultdict(float)
        failed: Failed = []
        deferred: set[object] = set()
        for item in sorted(items, key=lambda item: self._spent.get(owner(item), 0.0)):
            whose = owner(item)
            if spent[whose] >= self._seconds:
                deferred.add(whose)
                continue
            if not run.goes_on():
                break
            began = self._clock()
            with noted_in(failed, str(whose)):
                work(item)
            spent[whose] += self._clock() - began
        self._spent = dict(spent)
        for whose in sorted(deferred, key=str):
            log.warning("%s took %.1f s: the rest is deferred to the next run", whose, spent[whose])
        raise_if_any(failed)
