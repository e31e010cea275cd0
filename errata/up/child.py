"""One supervised process: started, watched, restarted, stopped."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from errata.endings import FINAL_EXIT_CODE
from errata.process_log.log_format import LogFormat
from errata.up.child_log import ChildLog
from errata.up.last_words import last_words
from errata.up.silence import Silence

FIRST_PAUSE_SECONDS = 0.5
# Events wait at their senders meanwhile: a part that keeps ending is away for seconds at a time.
LONGEST_PAUSE_SECONDS = 4.0
STEADY_SECONDS = 60.0
PR_SET_PDEATHSIG = 1
# Found before a fork: the child of a process with threads does no more than it must.
LIBC = ctypes.CDLL(None)


def end_with_parent(parent: int) -> None:
    """For a process that was just forked: it gets SIGTERM when the thread that made it ends, however."""
    if sys.platform == "linux":
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        # Of a parent that was killed since the fork no signal comes, and the child would keep its place.
        if os.getppid() != parent:
            os._exit(1)


@dataclass
class Child:
    """`niceness` is added to our own priority, so that builds never slow the service down."""

    name: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    log_path: Path
    niceness: int = 0
    logs: LogFormat = LogFormat.TEXT
    process: "subprocess.Popen[bytes] | None" = None
    started_at: float = 0.0
    restart_at: float = 0.0
    pause_seconds: float = FIRST_PAUSE_SECONDS
    # None: a part that ends by itself when it is done.
    silence: Silence | None = None
    # Since it was first brought up: it did work with these settings.
    has_worked: bool = False

    def __post_init__(self) -> None:
        self._log = ChildLog(self.log_path, self.name if self.logs is LogFormat.JSON else "")

    def start(self) -> None:
        # Workers of a process that was killed would keep its port.
        self._end_remains()
        log = self._log.open()
        try:
            self.process = subprocess.Popen(
                list(self.arguments),
                env={**os.environ, **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # Ctrl-C in the terminal reaches the supervisor alone, which stops the rest in order.
                start_new_session=True,
                preexec_fn=partial(self._before_running, os.getpid()),  # noqa: PLW1509 the other threads only copy logs
            )
        finally:
            os.close(log)
        self.started_at = time.monotonic()
        if self.silence is not None:
            self.silence.begin()

    def _before_running(self, supervisor: int) -> None:
        # Nothing outlives a supervisor that was killed.
        end_with_parent(supervisor)
        if self.niceness:
            os.nice(self.niceness)

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    @property
    def is_done(self) -> bool:
        """Of a part that ends by itself."""
        return self.silence is None and self.process is not None and self.process.poll() == 0

    def ending(self) -> str:
        """How it ended, and why by its own words."""
        code = self.process.returncode if self.process is not None else None
        if code is None:
            return "did not start"
        if code < 0:
            return f"killed by {signal.Signals(-code).name}"
        words = self.last_words()
        return f"exited with code {code}" + (f": {words}" if words else "")

    def last_words(self) -> str:
        self._log.wait()
        return last_words(self._log.last_lines())

    def is_beyond_retry(self) -> bool:
        """Whether it ended for a reason that lasts, before it ever worked."""
        ended = self.process is not None and self.process.returncode == FINAL_EXIT_CODE
        return ended and not self.has_worked

    def plan_restart(self) -> float:
        """In how many seconds."""
        now = time.monotonic()
        if now - self.started_at > STEADY_SECONDS:
            self.pause_seconds = FIRST_PAUSE_SECONDS
        pause = self.pause_seconds
        self.restart_at = now + pause
        self.pause_seconds = min(pause * 2, LONGEST_PAUSE_SECONDS)
        return pause

    def stop(self, within_seconds: float) -> None:
        if self.process is None:
            return
        if self.is_running:
            self.process.terminate()
            try:
                self.process.wait(within_seconds)
            except subprocess.TimeoutExpired:
                pass
        self._end_remains()
        self.process.wait()
        self._log.wait()

    def _end_remains(self) -> None:
        """The session is its own: what it started and left behind goes with it."""
        if self.process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
