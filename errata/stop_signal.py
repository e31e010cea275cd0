"""What a program's main thread waits on until a signal ends it."""

import signal
from contextlib import suppress
from queue import Empty, SimpleQueue


class StopSignal:
    """A signal handler may set it at any moment, even while its own thread waits on it. The lock of a
    `threading.Event` may be held by the code that the handler interrupts, which then never goes on."""

    def __init__(self) -> None:
        self._is_set = False
        self._wakes = SimpleQueue[None]()

    def set(self) -> None:
        self._is_set = True
        self._wakes.put(None)

    def is_set(self) -> bool:
        return self._is_set

    def wait(self, seconds: float) -> bool:
        """Returns early when it is set: whether it is."""
        if not self._is_set:
            with suppress(Empty):
                self._wakes.get(timeout=seconds)
        return self._is_set

    @classmethod
    def of_process(cls) -> "StopSignal":
        """Set by SIGTERM and SIGINT."""
        found = cls()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: found.set())
        return found
