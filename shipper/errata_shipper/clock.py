"""Time and the wish to stop, in one place so that tests need neither real seconds nor real signals."""

import math
import os
import select
import signal
import time
from datetime import UTC, datetime
from types import FrameType
from typing import Protocol


class Clock(Protocol):
    @property
    def is_stopping(self) -> bool: ...

    def now(self) -> datetime: ...

    def monotonic(self) -> float: ...

    def wait(self, seconds: float, wake: int | None = None) -> None:
        """Returns early when stopping, or when the descriptor `wake` is readable."""


class SystemClock:
    def __init__(self) -> None:
        # A pipe, not threading.Event: Event.set() in a signal handler deadlocks if the signal
        # arrives while the interrupted thread holds the event's own lock.
        self._readable, self._writable = os.pipe()
        os.set_blocking(self._writable, False)
        self.is_stopping = False

    def __del__(self) -> None:
        os.close(self._readable)
        os.close(self._writable)

    @property
    def stop_descriptor(self) -> int:
        """Readable from the moment of stopping on."""
        return self._readable

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    def wait(self, seconds: float, wake: int | None = None) -> None:
        if seconds > 0:
            # Not select, which knows no descriptor over 1023.
            waiting = select.poll()
            waiting.register(self._readable, select.POLLIN)
            if wake is not None:
                waiting.register(wake, select.POLLIN)
            waiting.poll(math.ceil(seconds * 1000))

    def stop(self) -> None:
        if not self.is_stopping:
            self.is_stopping = True
            os.write(self._writable, b"\0")

    def stop_on_signals(self) -> None:
        """The first SIGTERM or SIGINT asks to stop; a second one ends the process at once."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        self.stop()
