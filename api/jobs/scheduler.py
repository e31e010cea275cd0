"""The threads of the watch."""

import logging
import os
import socket
import threading
import time
from collections.abc import Sequence
from uuid import uuid4

from api.jobs.job import Duty, Hold
from errata.errors import ErrataError
from errata.state import Store

log = logging.getLogger("api.jobs")

STOPS_WITHIN_SECONDS = 15.0


class Watch:
    """A duty that fails is logged and counted, one that hangs holds up itself alone."""

    def __init__(self, state: Store, duties: Sequence[Duty]) -> None:
        self._state = state
        self._duties = tuple(duties)
        self._holder = f"{socket.gethostname()[:60]}:{os.getpid()}:{uuid4().hex[:8]}"
        self._stopping = threading.Event()
        self._due = {duty.name: threading.Event() for duty in self._duties}
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        for duty in self._duties:
            thread = threading.Thread(target=self._run, args=(duty,), name=f"watch-{duty.name}", daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self) -> None:
        """Waits for what is running; other nodes take the duties over at once."""
        self._stopping.set()
        for due in self._due.values():
            due.set()
        ends_at = time.monotonic() + STOPS_WITHIN_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, ends_at - time.monotonic()))
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        for thread in self._threads:
            log.warning("The duty of %s was left running at the end", thread.name)

    def wake(self, name: str) -> None:
        if name in self._due:
            self._due[name].set()

    def _run(self, duty: Duty) -> None:
        due = self._due[duty.name]
        while not self._stopping.is_set():
            due.clear()
            began = time.monotonic()
            self._turn(duty)
            if not self._stopping.is_set():
                due.wait(max(0.0, began + duty.every_seconds - time.monotonic()))
        self._leave(duty)

    def _turn(self, duty: Duty) -> None:
        try:
            if not self._hold(duty):
                return
            began = time.monotonic()
            failure = self._failure(duty)
            self._state.jobs.note_run(duty.name, round((time.monotonic() - began) * 1000), failure)
        except ErrataError as error:
            log.warning("The duty %s could not be held: %s", duty.name, error)

    def _failure(self, duty: Duty) -> str:
        """Runs the duty; what it failed with, by name, or empty."""
        hold = Hold(lambda: self._hold(duty), duty.hold_seconds, self._stopping.is_set, self.wake)
        try:
            duty.run(hold)
        except ErrataError as error:
            log.warning("The duty %s failed: %s", duty.name, error)
            return error.code
        except Exception as error:
            log.exception("The duty %s failed unforeseen", duty.name)
            return type(error).__name__
        return ""

    def _hold(self, duty: Duty) -> bool:
        return not self._stopping.is_set() and self._state.jobs.hold(
            duty.name, self._holder, duty.hold_seconds
        )

    def _leave(self, duty: Duty) -> None:
        try:
            self._state.jobs.release(duty.name, self._holder)
        except ErrataError as error:
            log.warning("The duty %s was not given back: %s", duty.name, error)
