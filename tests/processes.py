"""Starts the real processes that tests talk to."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from errata.warehouse.cache import Cache
from errata.warehouse.client import Warehouse
from errata.warehouse.roles import Role, load_or_create_passwords


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class WarehouseProcess:
    """A running embedded warehouse, with a client for each role."""

    directory: Path
    port: int
    process: "subprocess.Popen[bytes]"

    def url(self, role: Role) -> str:
        password = load_or_create_passwords(self.directory / "run" / "warehouse-passwords.json")[role]
        return f"http://{role.value}:{password}@127.0.0.1:{self.port}"

    def client(self, role: Role) -> Warehouse:
        """As the programs open it: the one who reads keeps answers."""
        return Warehouse(self.url(role), cache=Cache() if role is Role.READ else None)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(20)


def start_warehouse(
    directory: Path,
    port: int | None = None,
    program: Path = Path(__file__).parent.parent,
    options: Sequence[str] = (),
    module: Sequence[str] = ("errata.warehouse.listener",),
) -> WarehouseProcess:
    """`program`: the folder of the program to start; `module`: the listener, with arguments before its
    own."""
    port = port or free_port()
    listener = ("-m", *module, "--data", str(directory), "--port", str(port))
    process = subprocess.Popen(
        [sys.executable, *listener, *options],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([f"{program}", *filter(None, sys.path)])},
        cwd=program,
        # The engine would read it as a table.
        stdin=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 30
    while not answers(port):
        assert process.poll() is None, f"the warehouse ended with {process.returncode}"
        assert time.monotonic() < deadline, "the warehouse did not answer within 30 s"
        time.sleep(0.05)
    return WarehouseProcess(directory, port, process)


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/ping", timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
