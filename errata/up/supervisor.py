"""Starts warehouse, web and pipelines in order, keeps them running, stops them in reverse."""

import os
import resource
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from errata.errors import ErrataError
from errata.up.answers import answers, checks
from errata.up.child import Child
from errata.up.data_directory import PRIVATE_UMASK, DataDirectory, say_holder
from errata.up.environment import Environment
from errata.up.ports import free_port
from errata.up.restarts import Restarts
from errata.up.silence import READY_WITHIN_SECONDS

# One that hangs cannot end by itself as a rule, and loses nothing when it is killed.
HUNG_STOPS_WITHIN_SECONDS = 2.0
OPEN_FILES = 65_536


class StartFailed(ErrataError):
    """A part of the service did not start."""

    code = "start_failed"

    def __init__(self, part: str, reason: str, log_path: Path) -> None:
        super().__init__(f"The {part} did not start: {reason}. Check its log: {log_path}")
        self.part = part
        self.reason = reason
        self.log_path = log_path


@dataclass(frozen=True)
class Options:
    data: Path
    port: int = 0
    host: str = "127.0.0.1"
    warehouse_port: int = 0
    with_pipelines: bool = True
    with_dagster: bool = False
    tls_cert: Path | None = None
    tls_key: Path | None = None
    memory_bytes: int = 2 << 30
    sends_nothing: bool = False


def run(options: Options) -> int:
    """Blocks until SIGINT or SIGTERM; 0 after a clean stop."""
    # The processes inherit it: each makes files of its own in the directory.
    os.umask(PRIVATE_UMASK)
    allow_open_files()
    directory = DataDirectory(options.data.resolve())
    directory.require_whole()
    directory.create()
    with directory.hold() as lock:
        directory.close_to_others()
        directory.begin()
        known_port = _port_of(str(directory.credentials().get("base_url", "")))
        port = options.port or free_port(known_port)
        warehouse_port = options.warehouse_port or free_port(directory.last_warehouse_port())
        directory.warehouse_port_path.write_text(str(warehouse_port))
        environment = Environment(directory, options, port, warehouse_port)
        say_holder(lock, environment.base_url)
        supervisor = Supervisor(directory, environment)
        with supervisor.signals():
            return supervisor.supervise()


def allow_open_files() -> None:
    """As many as this user may have: connections of many clients are files, too. The processes inherit it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        # Some systems allow less than they say.
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


class Supervisor:
    def __init__(self, directory: DataDirectory, environment: Environment) -> None:
        self._directory = directory
        self._environment = environment
        self._stopping = threading.Event()
        self._children: list[Child] = []
        self._restarts = Restarts(directory.restarts_path)

    @contextmanager
    def signals(self) -> Iterator[None]:
        before = {
            number: signal.signal(number, lambda *_: self._stopping.set())
            for number in (signal.SIGINT, signal.SIGTERM)
        }
        yield
        for number, handler in before.items():
            signal.signal(number, handler)

    def supervise(self) -> int:
        try:
            self._start_all()
            while not self._stopping.wait(0.2):
                self._look_after_children()
        finally:
            self._stop_all()
        return 0

    def _start_all(self) -> None:
        warehouse = self._child("warehouse")
        self._start(warehouse, self._warehouse_answers)
        self._directory.warehouse_address_path.write_text(
            self._environment.warehouse_address.removeprefix("http://")
        )
        self._migrate()
        web = self._child("web")
        self._start(web, self._web_answers)
        if self._stopping.is_set():
            return
        say(f"Errata is ready at {self._environment.base_url}")
        if self._environment.sends_nothing:
            say("Sending is off: no alerts, mails or webhooks, and no background jobs")
        say(f"Sign in with the email and password in {self._directory.credentials_path}")
        for child in self._environment.pipelines():
            self._children.append(child)
            child.start()
        if self._environment.dagster_url:
            say(f"Dagster: {self._environment.dagster_url} (in half a minute)")

    def _child(self, name: str) -> Child:
        child = self._environment.child(name)
        self._children.append(child)
        return child

    def _start(self, child: Child, answers: Callable[[], bool]) -> None:
        if self._stopping.is_set():
            return
        child.start()
        deadline = time.monotonic() + READY_WITHIN_SECONDS
        while not answers():
            if self._stopping.wait(0.05):
                return
            if not child.is_running:
                raise StartFailed(child.name, child.ending(), child.log_path)
            if time.monotonic() > deadline:
                raise StartFailed(
                    child.name, f"no response within {READY_WITHIN_SECONDS:.0f} s", child.log_path
                )

    def _migrate(self) -> None:
        """In a process of its own, so that its libraries do not stay in memory."""
        if self._stopping.is_set():
            return
        child = self._environment.child("migrate")
        child.start()
        assert child.process is not None
        while child.process.poll() is None and not self._stopping.wait(0.05):
            pass
        if child.process.poll() not in (0, None):
            raise StartFailed("migration", child.ending(), child.log_path)
        child.stop(5)

    def _look_after_children(self) -> None:
        for child in self._children:
            if child.is_running:
                self._end_if_hung(child)
            elif child.restart_at <= child.started_at:
                self._plan_restart(child, child.ending())
            elif time.monotonic() >= child.restart_at:
                self._restart(child)

    def _end_if_hung(self, child: Child) -> None:
        silent_seconds = child.silence.seconds() if child.silence is not None else 0
        if silent_seconds:
            child.stop(HUNG_STOPS_WITHIN_SECONDS)
            self._plan_restart(child, f"did not respond for {silent_seconds:.0f} s")

    def _plan_restart(self, child: Child, reason: str) -> None:
        child.plan_restart()
        self._restarts.note(child.name, reason, child.log_path)
        say(f"The {child.name} {reason}; restarting it")

    def _restart(self, child: Child) -> None:
        child.start()

    def _stop_all(self) -> None:
        for child in reversed(self._children):
            child.stop(within_seconds=15)
        self._directory.warehouse_address_path.unlink(missing_ok=True)

    def _warehouse_answers(self) -> bool:
        return answers(f"{self._environment.warehouse_address}/ping")

    def _web_answers(self) -> bool:
        # On a full disk too: pages go on, and a restart must not take them away.
        found = checks(self._environment.base_url)
        return all(found.get(part) == "ok" for part in ("warehouse", "state"))


def _port_of(base_url: str) -> int:
    port = base_url.rpartition(":")[2]
    return int(port) if port.isdigit() else 0


def say(sentence: str) -> None:
    # The output may be a file on a full disk, or a pipe that nobody reads any more.
    with suppress(OSError):
        print(sentence, flush=True)  # noqa: T201
