"""Waits for what a running service does by itself."""

import time
from collections.abc import Callable


def wait_until(holds: Callable[[], bool], seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.2)
