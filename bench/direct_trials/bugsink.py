"""Bugsink on one server, as its documentation sets it up: gunicorn, snappea, SQLite; quotas are lifted."""

import os
import resource
import sqlite3
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from bench.direct_trials.senders import Way, number_in, ways_of
from bench.direct_trials.target import STARTS_WITHIN_SECONDS
from tests.ports import free_port, wait_for

WORKERS = 4
# As systemd does it with `RestartSec=1`.
RESTART_SECONDS = 1.0
LIFTED = """
BUGSINK |= {
    name: 1_000_000_000
    for period in ("5_MINUTES", "HOUR", "MONTH")
    for name in (f"MAX_EVENTS_PER_{period}", f"MAX_EVENTS_PER_PROJECT_PER_{period}")
}
BUGSINK["PHONEHOME"] = False
"""
PROJECT = """
from projects.models import Project
made = Project.objects.create(name="trial", slug="trial", retention_max_event_count=1_000_000_000)
print(made.id, made.sentry_key.hex)
"""


class Bugsink:
    name = "bugsink"
    parts = ("worker", "snappea", "gunicorn")

    def __init__(self, directory: Path, environment: Path) -> None:
        self.directory = directory
        self._bin = environment / "bin"
        self._port = free_port()
        self._database = directory / "db.sqlite3"
        self._is_ending = threading.Event()
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        directory.mkdir()
        self._run(
            "bugsink-create-conf",
            "--template=singleserver",
            "--host=127.0.0.1",
            f"--base-dir={directory}",
        )
        with (directory / "bugsink_conf.py").open("a") as settings:
            settings.write(LIFTED)
        self._run("bugsink-manage", "migrate")
        self._run("bugsink-manage", "migrate", "snappea", "--database=snappea")
        self._run("bugsink-manage", "prestart")
        self._project, self._key = self._run("bugsink-manage", "shell", "-c", PROJECT).split()[-2:]
        self._watcher = threading.Thread(target=self._watch)

    def __enter__(self) -> "Bugsink":
        self._watcher.start()
        wait_for(self._port, STARTS_WITHIN_SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        self._is_ending.set()
        self._watcher.join()
        for process in self._processes.values():
            process.terminate()
        for process in self._processes.values():
            process.wait(60)

    @property
    def ways(self) -> Sequence[Way]:
        return [ways_of(self._port, self._project, self._key)["envelope"]]

    def hold_database(self, seconds: float) -> None:
        """Locked for writing by another process, which SQLite's users wait five seconds for."""
        with closing(sqlite3.connect(self._database, isolation_level=None, timeout=60)) as connection:
            connection.execute("begin exclusive")
            time.sleep(seconds)
            connection.execute("rollback")

    def break_writes(self, seconds: float) -> None:
        unlimited = resource.RLIM_INFINITY
        for most in (1_000, unlimited):
            for process in self._of("gunicorn"):
                with suppress(psutil.NoSuchProcess):
                    process.rlimit(psutil.RLIMIT_FSIZE, (most, unlimited))
            if most != unlimited:
                time.sleep(seconds)

    def kill(self, part: str) -> None:
        if part == "worker":
            while len(members := self._of("gunicorn")) < 2:
                time.sleep(0.1)
            members[-1].kill()
        else:
            # A unit's processes end together.
            for process in reversed(self._of(part)):
                with suppress(psutil.NoSuchProcess):
                    process.kill()
        wait_for(self._port, STARTS_WITHIN_SECONDS)

    def waiting(self) -> int | None:
        return int(self._asked("select count(*) from events_event")[0][0])

    def stored(self) -> Mapping[str, Counter[int]]:
        rows = self._asked("select calculated_value from events_event")
        return {"envelope": Counter(number_in(str(text)) for (text,) in rows)}

    def counted(self) -> tuple[int, int]:
        (counted,) = self._asked("select sum(digested_event_count) from issues_issue")
        (stored,) = self._asked("select count(distinct event_id) from events_event")
        return int(counted[0] or 0), int(stored[0])

    def _of(self, part: str) -> list[psutil.Process]:
        """The main process first."""
        with suppress(psutil.NoSuchProcess, KeyError):
            own = psutil.Process(self._processes[part].pid)
            return [own, *own.children(recursive=True)]
        return []

    def _watch(self) -> None:
        """Starts what is not running."""
        commands = {
            "gunicorn": [
                "gunicorn",
                f"--bind=127.0.0.1:{self._port}",
                f"--workers={WORKERS}",
                "--timeout=6",
                "--max-requests=1000",
                "--max-requests-jitter=100",
                "bugsink.wsgi",
            ],
            "snappea": ["bugsink-runsnappea"],
        }
        while True:
            for name, (program, *options) in commands.items():
                running = self._processes.get(name)
                if running is None or running.poll() is not None:
                    self._processes[name] = subprocess.Popen(
                        [str(self._bin / program), *options],
                        cwd=self.directory,
                        env=self._environment(),
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL,
                    )
            if self._is_ending.wait(RESTART_SECONDS):
                return

    def _asked(self, statement: str) -> list[tuple[Any, ...]]:
        address = f"file:{self._database}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=30)) as connection:
            return connection.execute(statement).fetchall()

    def _run(self, program: str, *options: str) -> str:
        command = [str(self._bin / program), *options]
        ran = subprocess.run(
            command, cwd=self.directory, env=self._environment(), check=True, capture_output=True, text=True
        )
        return ran.stdout

    def _environment(self) -> dict[str, str]:
        own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return {**own, "PYTHONUNBUFFERED": "1", "DJANGO_SETTINGS_MODULE": "bugsink_conf"}


@contextmanager
def bugsink(directory: Path, environment: Path) -> Iterator[Bugsink]:
    with Bugsink(directory / "bugsink", environment) as running:
        yield running
