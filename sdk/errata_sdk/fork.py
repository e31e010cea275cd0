"""What must not be shared by a process and the child it forked."""

import os
import sys
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any


class ForkAware(ABC):
    """Told, as `forked`, that it is a child's copy of what its parent holds."""

    def __init__(self) -> None:
        self._process_id = os.getpid()
        # Many may come and go in a process, as in its tests: the hook keeps none of them alive.
        alive = weakref.ref(self)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=lambda: _notice(alive))

    def notice_fork(self) -> None:
        """Called before use as well: some servers (uWSGI) fork without running Python's hooks."""
        process_id = os.getpid()
        if process_id != self._process_id:
            self.forked()
            self._process_id = process_id

    @abstractmethod
    def forked(self) -> None: ...


def _notice(alive: "weakref.ref[ForkAware]") -> None:
    aware = alive()
    if aware is not None:
        aware.notice_fork()


def may_fork_unseen() -> bool:
    """Whether this is uWSGI's master, whose children hang if another thread happens to run at the fork."""
    uwsgi = sys.modules.get("uwsgi")
    return uwsgi is not None and uwsgi.worker_id() == 0


def at_exit_of_worker(owner: Any, call: Callable[[], object]) -> None:
    """Have a call made when a process that `multiprocessing` started ends: it skips `atexit`."""
    # Where it was never imported, nothing was started with it.
    util = sys.modules.get("multiprocessing.util")
    if util is not None:
        # A new process forgets all finalizers before it runs what is registered here.
        util.register_after_fork(owner, lambda _: util.Finalize(owner, call, exitpriority=0))
        util.Finalize(owner, call, exitpriority=0)
