"""The process that has loaded the definitions, and forks the daemon and runs from itself.

A run in a process of its own begins within milliseconds, since nothing is imported again. This process has no
threads, and opens no connection: what it forks would share them.
"""

import gc
import os
import select
import signal
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from dagster._core.instance.ref import InstanceRef
from dagster._grpc.client import DagsterGrpcClient

from errata.stop_signal import StopSignal
from pipelines.heartbeat import touch
from pipelines.processes.children import Children
from pipelines.processes.code import load_definitions
from pipelines.processes.daemon import run_daemon
from pipelines.processes.requests import ADDRESS_FILE, Act, Request
from pipelines.processes.runs import execute_run, report_crash
from pipelines.processes.storage import keep_migrations

BEAT_SECONDS = 10.0
# Of one who is connected and says nothing, all others wait.
ASKED_WITHIN_SECONDS = 5.0
LOADED_WITHIN_SECONDS = 300
DAEMON_ENDS_WITHIN_SECONDS = 60.0
# Dagster takes an interrupt for a failure of the op, and may try it again. A restore drill cleans up in less.
RUN_ENDS_WITHIN_SECONDS = 100.0
DAEMON, CODE, PAGES = "daemon", "code", "pages"
PARTS = (DAEMON, CODE, PAGES)


class ForkServer:
    """`home`: DAGSTER_HOME; `directory`: of sockets; `children`: those that went on while the definitions
    were loaded anew."""

    def __init__(self, reference: InstanceRef, home: Path, directory: Path, children: Children) -> None:
        self._reference = reference
        self._home = home
        self._directory = directory
        self._repository = load_definitions()
        keep_migrations()
        self._children = children
        # By name, when what was asked to end is killed.
        self._ends_at: dict[str, float] = {}
        self._is_due_anew = False
        # What is there stays shared: a collection would write to all of it.
        gc.collect()
        gc.freeze()

    @property
    def is_due_anew(self) -> bool:
        """The definitions are to be loaded anew, and the daemon has ended for it."""
        return self._is_due_anew and DAEMON not in self._children.running

    def start_daemon(self) -> None:
        self._children.fork(DAEMON, run_daemon, self._reference)

    def start_pages(self, commands: Mapping[str, list[str]], environment: Mapping[str, str]) -> None:
        """Programs of Dagster that show what runs here."""
        for name, command in commands.items():
            if name not in self._children.running:
                self._children.fork(name, os.execve, command[0], command, dict(environment))

    def serve(self, stopping: StopSignal, alive_path: Path | None) -> bool:
        """Until a stop, or until the definitions are due anew: True. False after a part ended by itself."""
        with _listening(self._directory / "forks.sock") as listener, _woken_by_signals() as woken:
            (self._home / ADDRESS_FILE).write_text(listener.getsockname())
            while not stopping.is_set() and not self.is_due_anew:
                touch(alive_path)
                for ready in select.select([listener, woken], [], [], BEAT_SECONDS)[0]:
                    if ready is listener:
                        self._answer(listener)
                    else:
                        ready.recv(4096)
                if not self._look_after_children():
                    return False
        return True

    def _look_after_children(self) -> bool:
        """False if a part has ended by itself."""
        for name, code in self._children.ended().items():
            is_asked_for = self._ends_at.pop(name, None) is not None
            if name in PARTS and not is_asked_for:
                return False
            run, _, run_id = name.partition(" ")
            if run == "run" and code:
                self._children.fork(
                    f"report {run_id}",
                    report_crash,
                    self._reference,
                    run_id,
                    code,
                    is_asked_for=is_asked_for,
                )
        for name, ends_at in self._ends_at.items():
            if time.monotonic() > ends_at:
                self._children.signal(name, signal.SIGKILL)
        return True

    def _answer(self, listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.settimeout(ASKED_WITHIN_SECONDS)
            try:
                with connection.makefile("rb") as asked:
                    is_done = self._do(Request.of(asked.readline()))
                connection.sendall(b"done\n" if is_done else b"unknown\n")
            except (OSError, ValueError, KeyError):
                # Whoever asked has ended, or is none of ours.
                return

    def _do(self, request: Request) -> bool:
        name = f"run {request.run_id}"
        match request.act:
            case Act.START_RUN:
                self._children.fork(name, execute_run, self._repository, request.arguments)
            case Act.END_RUN:
                return self._end(name, RUN_ENDS_WITHIN_SECONDS)
            case Act.LOAD_ANEW if not self._is_due_anew:
                self._is_due_anew = True
                self._end(DAEMON, DAEMON_ENDS_WITHIN_SECONDS)
                if CODE in self._children.running:
                    self._children.fork("reload", self._reload_code)
        return True

    def _end(self, name: str, within_seconds: float) -> bool:
        """Whether it is there."""
        is_there = self._children.signal(name, signal.SIGTERM)
        if is_there:
            self._ends_at.setdefault(name, time.monotonic() + within_seconds)
        return is_there

    def _reload_code(self) -> None:
        DagsterGrpcClient(socket=str(self._directory / "code.sock")).reload_code(LOADED_WITHIN_SECONDS)


@contextmanager
def _listening(path: Path) -> Iterator[socket.socket]:
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        yield listener


@contextmanager
def _woken_by_signals() -> Iterator[socket.socket]:
    reader, writer = socket.socketpair()
    with reader, writer:
        writer.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(writer.fileno())
        try:
            yield reader
        finally:
            signal.set_wakeup_fd(-1)
