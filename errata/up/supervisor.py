"""Starts warehouse, web and pipelines in order, keeps them running, stops them in reverse."""

import os
import re
import resource
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from errata.errors import ErrataError
from errata.former_names import ignored_variables
from errata.process_log.configured import configure, logs_json
from errata.process_log.json_lines import as_line, fields_of
from errata.process_log.log_format import LogFormat
from errata.stop_signal import StopSignal
from errata.up.answers import answers, document
from errata.up.child import Child
from errata.up.data_directory import PRIVATE_UMASK, STATE_URL, DataDirectory, say_holder
from errata.up.environment import Environment
from errata.up.ports import free_port, require_free
from errata.up.restarts import Restarts
from errata.up.silence import READY_WITHIN_SECONDS
from errata.up.web import require_certificate

# One that hangs cannot end by itself as a rule, and loses nothing when it is killed.
HUNG_STOPS_WITHIN_SECONDS = 2.0
OPEN_FILES = 65_536
PROCESS = "supervisor"
OF_DATA_DIRECTORY = re.compile(r"ERRATA_WAREHOUSE_")
SECRET_CHANGED = (
    "The secret has changed: API keys, keys in DSNs, access tokens, share links and sign-ins made before no "
    "longer work. Create new keys (docs/keys.md)"
)

Answer = TypeVar("Answer")


class StartFailed(ErrataError):
    """A part of the service can't start until somebody changes something."""

    code = "start_failed"
    is_final = True

    def __init__(self, part: str, reason: str, log_path: Path) -> None:
        super().__init__(f"The {part} did not start: {reason.rstrip('.')}. Its log: {log_path}")
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
    workers: int = 1
    reloads: bool = False
    logs: LogFormat = LogFormat.TEXT


def run(options: Options) -> int:
    """Blocks until SIGINT or SIGTERM; 0 after a clean stop."""
    configure(PROCESS, os.environ)
    # The processes inherit it: each makes files of its own in the directory.
    os.umask(PRIVATE_UMASK)
    allow_open_files()
    for name, remedy in ignored_variables(os.environ):
        say(f"{name} is ignored. {remedy}")
    if own := sorted(filter(OF_DATA_DIRECTORY.match, os.environ)):
        say(
            f"Ignored: {', '.join(own)}. `errata up` runs its own warehouse; for an external "
            "ClickHouse, see docs/server.md"
        )
    directory = DataDirectory(options.data.resolve())
    directory.require_whole()
    require_certificate(options.tls_cert, options.tls_key)
    directory.create()
    with directory.usable(), directory.hold() as lock:
        directory.close_to_others()
        directory.use_state(os.environ.get(STATE_URL, ""))
        secret = os.environ.get("ERRATA_SECRET", "")
        directory.begin(secret)
        if directory.change_secret(secret, os.environ.get("ERRATA_PREVIOUS_SECRET", "")):
            say(SECRET_CHANGED)
        known_port = _port_of(str(directory.credentials().get("base_url", "")))
        port = options.port or free_port(known_port)
        warehouse_port = options.warehouse_port or free_port(directory.last_warehouse_port())
        # Else another service there would answer for ours.
        require_free(port, options.host)
        require_free(warehouse_port)
        directory.warehouse_port_path.write_text(str(warehouse_port))
        environment = Environment(directory, options, port, warehouse_port)
        say_holder(lock, environment.base_url)
        supervisor = Supervisor(directory, environment)
        say("Errata is starting, which takes up to a minute")
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
        self.stopping = StopSignal()
        self._children: list[Child] = []
        self._restarts = Restarts(directory.restarts_path)
        self._is_asking = False
        self._waits_for = ""

    @contextmanager
    def signals(self) -> Iterator[None]:
        before = {number: signal.signal(number, self._stop) for number in (signal.SIGINT, signal.SIGTERM)}
        yield
        for number, handler in before.items():
            signal.signal(number, handler)

    def _stop(self, *_: object) -> None:
        self.stopping.set()
        if self._is_asking:
            # A part that hangs must not hold up the end.
            raise InterruptedError

    def supervise(self) -> int:
        try:
            with suppress(InterruptedError):
                self._start_all()
                while not self.stopping.wait(0.2):
                    self._look_after_children()
        finally:
            self._stop_all()
        return 0

    def _start_all(self) -> None:
        self._bring_up(self._environment.child("warehouse"), self.warehouse_is_ready)
        # In a process of its own, so that its libraries do not stay in memory.
        migration = self._environment.child("migration")
        self._bring_up(migration, lambda: migration.is_done)
        if self.stopping.is_set():
            return
        self._children.remove(migration)
        self._bring_up(self._environment.child("web"), self.web_is_ready)
        if self.stopping.is_set():
            return
        say(f"Errata is ready at {self._environment.base_url}")
        if self._environment.sends_nothing:
            say("Sending is off: no alerts, mails or webhooks, and no background jobs")
        say(f"Sign in with the email and password in {self._directory.credentials_path}")
        for child in self._environment.pipelines():
            self._children.append(child)
            self._restart(child)
        if self._environment.dagster_url:
            say(f"Dagster: {self._environment.dagster_url} (in half a minute)")

    def _bring_up(self, child: Child, is_ready: Callable[[], bool]) -> None:
        """Until it is ready: what ends or hangs meanwhile is started again. Raises StartFailed."""
        if self.stopping.is_set():
            return
        self._children.append(child)
        self._restart(child)
        said_at = time.monotonic()
        while not self._asked(is_ready):
            self._look_after_children()
            if self.stopping.wait(0.05):
                return
            if time.monotonic() - said_at > READY_WITHIN_SECONDS:
                said_at = time.monotonic()
                say(f"The {child.name} is not ready yet{self._waits_for}")
        child.has_worked = True

    def _asked(self, question: Callable[[], Answer]) -> Answer | None:
        """None if a signal came instead of the answer."""
        self._is_asking = True
        try:
            # One that came before interrupts nothing.
            return None if self.stopping.is_set() else question()
        except InterruptedError:
            return None
        finally:
            self._is_asking = False

    def _look_after_children(self) -> None:
        for child in self._children:
            if child.is_running:
                self._end_if_hung(child)
            elif child.is_done:
                # Since it was asked whether it is.
                continue
            elif child.restart_at <= child.started_at:
                self._plan_restart(child, child.ending())
            elif time.monotonic() >= child.restart_at:
                self._restart(child)

    def _end_if_hung(self, child: Child) -> None:
        silent_seconds = self._asked(child.silence.seconds) if child.silence is not None else 0
        if silent_seconds:
            child.stop(HUNG_STOPS_WITHIN_SECONDS)
            self._plan_restart(child, f"did not respond for {silent_seconds:.0f} s")

    def _plan_restart(self, child: Child, reason: str) -> None:
        if child.is_beyond_retry():
            raise StartFailed(child.name, child.last_words(), child.log_path)
        pause = child.plan_restart()
        self._restarts.note(child.name, reason, child.log_path)
        say(f"The {child.name} {reason.rstrip('.')}; restarting it in {pause:g} s")

    def _restart(self, child: Child) -> None:
        try:
            child.start()
        except OSError as error:
            # Too many processes, or too little memory for one more.
            self._plan_restart(child, f"did not start: {error.strerror or error}")

    def _stop_all(self) -> None:
        for child in reversed(self._children):
            # One that never worked has nothing to finish.
            child.stop(within_seconds=15 if child.has_worked else HUNG_STOPS_WITHIN_SECONDS)
        self._directory.warehouse_address_path.unlink(missing_ok=True)

    def warehouse_is_ready(self) -> bool:
        if not answers(f"{self._environment.warehouse_address}/ping"):
            return False
        address = self._environment.warehouse_address.removeprefix("http://")
        try:
            self._directory.warehouse_address_path.write_text(address)
        except OSError as error:
            self._waits_for = f": {error.strerror} ({self._directory.warehouse_address_path})"
            return False
        return True

    def web_is_ready(self) -> bool:
        # On a full disk too: pages go on, and a restart must not take them away.
        health = document(f"{self._environment.base_url}/api/health")
        reasons = "; ".join(health.get("reasons", {}).values())
        self._waits_for = f": {reasons.rstrip('.')}" if reasons else ""
        found = health.get("checks", {})
        return all(found.get(part) == "ok" for part in ("warehouse", "state"))


def _port_of(base_url: str) -> int:
    port = base_url.rpartition(":")[2]
    return int(port) if port.isdigit() else 0


def say(sentence: str) -> None:
    # The output may be a file on a full disk, or a pipe that nobody reads any more.
    with suppress(OSError):
        line = as_line(fields_of(PROCESS, "INFO", "errata.up", sentence)) if logs_json() else sentence
        print(line, flush=True)  # noqa: T201
