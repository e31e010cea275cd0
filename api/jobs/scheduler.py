"""The threads that run jobs."""

import logging
import os
import socket
import threading
import time
from collections.abc import Sequence
from uuid import uuid4

from api.jobs.job import HeldRun, Job
from errata.errors import ErrataError
from errata.state import Store

log = logging.getLogger("api.jobs")

STOPS_WITHIN_SECONDS = 15.0


class Scheduler:
    """Runs jobs in threads. A failing job is logged and counted; a hanging one holds up itself alone."""

    def __init__(self, state: Store, jobs: Sequence[Job]) -> None:
        self._state = state
        self._jobs = tuple(jobs)
        self._holder = f"{socket.gethostname()[:60]}:{os.getpid()}:{uuid4().hex[:8]}"
        self._stopping = threading.Event()
        self._due = {job.name: threading.Event() for job in self._jobs}
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        for job in self._jobs:
            thread = threading.Thread(
                target=self._run_again_and_again, args=(job,), name=f"job-{job.name}", daemon=True
            )
            thread.start()
            self._threads.append(thread)

    def stop(self) -> None:
        """Waits for running jobs; other nodes take the jobs over at once."""
        self._stopping.set()
        for due in self._due.values():
            due.set()
        ends_at = time.monotonic() + STOPS_WITHIN_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, ends_at - time.monotonic()))
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        for thread in self._threads:
            log.warning("The thread %s was still running at shutdown", thread.name)

    def wake(self, name: str) -> None:
        if name in self._due:
            self._due[name].set()

    def _run_again_and_again(self, job: Job) -> None:
        due = self._due[job.name]
        while not self._stopping.is_set():
            due.clear()
            began = time.monotonic()
            self._run_once(job)
            if not self._stopping.is_set():
                due.wait(max(0.0, began + job.every_seconds - time.monotonic()))
        self._release(job)

    def _run_once(self, job: Job) -> None:
        try:
            if not self._hold(job):
                return
            began = time.monotonic()
            failure = self._failure(job)
            self._state.jobs.note_run(job.name, round((time.monotonic() - began) * 1000), failure)
        except ErrataError as error:
            log.warning("The job %s couldn't be locked: %s", job.name, error)

    def _failure(self, job: Job) -> str:
        """Runs the job and returns the name of its error, or an empty text."""
        run = HeldRun(lambda: self._hold(job), job.hold_seconds, self._stopping.is_set, self.wake)
        try:
            job.work(run)
        except ErrataError as error:
            log.warning("The job %s failed: %s", job.name, error)
            return error.code
        except Exception as error:
            log.exception("The job %s failed unexpectedly", job.name)
            return type(error).__name__
        return ""

    def _hold(self, job: Job) -> bool:
        return not self._stopping.is_set() and self._state.jobs.hold(job.name, self._holder, job.hold_seconds)

    def _release(self, job: Job) -> None:
        try:
            self._state.jobs.release(job.name, self._holder)
        except ErrataError as error:
            log.warning("The job %s was not released: %s", job.name, error)
