"""Tells a component that is still starting from one that fails."""

import time
from collections.abc import Callable
from typing import Literal, get_args

CheckResult = Literal["ok", "starting", "off", "failing"]
RESULTS = get_args(CheckResult)
SECONDS_TO_START = 60


class Beginning:
    """A component without a first success is starting, for a while; with one, it is failing."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began_at = clock()
        self._seen: set[str] = set()

    def judged(self, name: str, result: CheckResult) -> CheckResult:
        if result == "ok":
            self._seen.add(name)
        is_new = name not in self._seen and self._clock() - self._began_at < SECONDS_TO_START
        return "starting" if result == "failing" and is_new else result
