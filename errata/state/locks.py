"""Locks held across processes, one a project."""

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from sqlalchemy import text

from errata.state.errors import StateLocked
from errata.state.failures import of_file
from errata.state.repository import Repository

LONGEST_WAIT_SECONDS = 10
ASK_AGAIN_SECONDS = 0.02
# Arbitrary, but the same in every process.
KIND = 0x0E44A


class Locks(Repository):
    @contextmanager
    def assignments(self, project_id: int) -> Iterator[None]:
        """The lock of a project's assignments, held by deciders about its grouping."""
        if self._database.file is None:
            with self._database.locking() as connection:
                wait = text(f"set local lock_timeout = '{LONGEST_WAIT_SECONDS}s'")
                connection.execute(wait)
                # PostgreSQL's keys are signed, and a project's id is not.
                lock = text("select pg_advisory_xact_lock(:kind, :project)")
                connection.execute(lock, {"kind": KIND, "project": project_id - (1 << 31)})
                yield
            return
        self._database.require_file()
        # SQLite has one lock for everything: a long holder would keep others from signing in.
        path = self._database.file.with_name(f"{self._database.file.name}.lock-{project_id}")
        with _opened(path) as file:
            give_up_at = time.monotonic() + LONGEST_WAIT_SECONDS
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError as error:
                    if time.monotonic() > give_up_at:
                        raise StateLocked("another change to issues is taking too long") from error
                    time.sleep(ASK_AGAIN_SECONDS)
            yield


def _opened(path: Path) -> TextIO:
    try:
        return path.open("w")
    except OSError as error:
        raise of_file(error) from error
