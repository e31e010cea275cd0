"""A real service for a benchmark: `errata up` on a fresh directory, and what its processes use."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from errata.warehouse.client import Warehouse
from errata.warehouse.roles import Role, load_or_create_passwords

ROOT = Path(__file__).resolve().parents[1]
READY_WITHIN_SECONDS = 60
UP = ("-m", "errata")
# The supervisor waits longer before each restart of a part that keeps ending. Here we are why it ends.
UP_WITH_QUICK_RESTARTS = (
    "-c",
    "import sys; from errata.up import child; child.LONGEST_PAUSE_SECONDS = child.FIRST_PAUSE_SECONDS; "
    "from errata.__main__ import main; sys.exit(main())",
)


@dataclass(frozen=True)
class Service:
    directory: Path
    process: "subprocess.Popen[str]"
    credentials: Mapping[str, str]

    def ask(self, path: str, method: str = "GET", body: object = None) -> Any:
        """What REST answers below its first project, with the API key."""
        known = self.credentials
        request = urllib.request.Request(
            f"{known['base_url']}/api/projects/{known['project']}/{path}",
            None if body is None else json.dumps(body).encode(),
            {"Authorization": f"Bearer {known['api_key']}", "Content-Type": "application/json"},
            method=method,
        )
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def processes(self) -> dict[str, list[psutil.Process]]:
        """By part: warehouse, web, pipelines, supervisor."""
        own = psutil.Process(self.process.pid)
        parts: dict[str, list[psutil.Process]] = {"supervisor": [own]}
        for child in own.children():
            # One may end while we look.
            with suppress(psutil.NoSuchProcess):
                parts.setdefault(_part(child), []).extend([child, *child.children(recursive=True)])
        return parts

    def kill(self, part: str) -> None:
        """Waits for it where the supervisor is about to start it again."""
        while not (members := self.processes().get(part)):
            time.sleep(0.1)
        members[0].kill()

    def cpu_seconds(self) -> dict[str, float]:
        return {name: sum(map(_cpu, members)) for name, members in self.processes().items()}

    def pss_bytes(self) -> dict[str, int]:
        return {name: sum(map(_pss, members)) for name, members in self.processes().items()}

    def warehouse(self, role: Role, timeout_seconds: int = 60) -> Warehouse:
        return Warehouse(self.warehouse_url(role), timeout_seconds=timeout_seconds)

    def warehouse_url(self, role: Role) -> str:
        listener = next(p for p in self.processes()["warehouse"] if "--port" in p.cmdline())
        port = listener.cmdline()[listener.cmdline().index("--port") + 1]
        password = load_or_create_passwords(self.directory / "run" / "warehouse-passwords.json")[role]
        return f"http://{role.value}:{password}@127.0.0.1:{port}"


@contextmanager
def running(
    *options: str,
    directory: Path | None = None,
    program: Sequence[str] = UP,
    settings: Mapping[str, str] | None = None,
    command: str = "up",
) -> Iterator[Service]:
    """`settings` are variables of the environment, ERRATA_…"""
    with tempfile.TemporaryDirectory(prefix="errata-bench-") as made:
        chosen = directory or Path(made) / "data"
        process = subprocess.Popen(
            [sys.executable, *program, command, "--data", str(chosen), *options],
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), **(settings or {})},
        )
        try:
            _wait_until_ready(process)
            credentials = json.loads((chosen / "credentials.json").read_text())
            yield Service(chosen, process, credentials)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)
            if process.stdout is not None:
                process.stdout.close()


def _wait_until_ready(process: "subprocess.Popen[str]") -> None:
    assert process.stdout is not None
    deadline = time.monotonic() + READY_WITHIN_SECONDS
    for line in process.stdout:
        if "ready at" in line:
            return
        if time.monotonic() > deadline:
            break
    raise RuntimeError("the service did not become ready")


def _part(process: psutil.Process) -> str:
    line = " ".join(process.cmdline())
    if "listener" in line:
        return "warehouse"
    return "web" if "uvicorn" in line else "pipelines"


def _cpu(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    # Children that have ended count with their parent: a build runs in a process of its own.
    return float(times.user + times.system + times.children_user + times.children_system)


def _pss(process: psutil.Process) -> int:
    try:
        return int(process.memory_full_info().pss)
    except psutil.NoSuchProcess:
        return 0
