"""Processes that are forked from this one, and share the memory of what it has loaded."""

import ctypes
import logging
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress

log = logging.getLogger("errata.pipelines")

PR_SET_PDEATHSIG, PR_SET_NAME = 1, 15
LIBC = ctypes.CDLL(None)


class Children:
    """By name, the ids of those that have not ended. This process may have no threads."""

    def __init__(self, running: Mapping[str, int]) -> None:
        self.running = dict(running)

    def fork(self, name: str, work: Callable[..., object], *arguments: object, **named: object) -> None:
        """`name`: its first word is shown by `ps`."""
        parent = os.getpid()
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid:
            self.running[name] = pid
            return
        code = 1
        try:
            _begin(name, parent)
            work(*arguments, **named)
            code = 0
        except BaseException:
            log.exception("The process %s ended", name)
        finally:
            with suppress(OSError):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)

    def signal(self, name: str, number: signal.Signals) -> bool:
        """Whether it is there."""
        pid = self.running.get(name)
        if pid is not None:
            # One that has ended is a zombie until it is looked for: the id cannot be another's.
            os.kill(pid, number)
        return pid is not None

    def exit_code(self, name: str) -> int:
        """Once it has ended."""
        return os.waitstatus_to_exitcode(os.waitpid(self.running.pop(name), 0)[1])

    def ended(self) -> dict[str, int]:
        """By name, the exit codes of those that have ended since; the negative number of a signal."""
        codes = {}
        for name, pid in list(self.running.items()):
            found, status = os.waitpid(pid, os.WNOHANG)
            if found:
                del self.running[name]
                codes[name] = os.waitstatus_to_exitcode(status)
        return codes


def _begin(name: str, parent: int) -> None:
    if sys.platform == "linux":
        LIBC.prctl(PR_SET_NAME, name.split()[0].encode())
        # Nothing outlives this process: a killed run changes nothing, and the next start cancels it.
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
