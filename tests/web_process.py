"""The web process as an operator of a server of one's own starts it."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import httpx2

from tests.processes import free_port


@dataclass(frozen=True)
class WebNode:
    address: str
    process: "subprocess.Popen[bytes]"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def web(settings: dict[str, str], *options: str) -> Iterator[str]:
    with web_node(settings, *options) as node:
        yield node.address


@contextmanager
def web_node(settings: dict[str, str], *options: str, log: Path | None = None) -> Iterator[WebNode]:
    """`log`: the file for what it says; None: says it here."""
    address = f"http://127.0.0.1:{(port := free_port())}"
    with log.open("ab") if log else nullcontext() as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "errata", "web", "--port", str(port), *options],
            env={**os.environ, **settings, "ERRATA_BASE_URL": address},
            stdout=output,
            stderr=output and subprocess.STDOUT,
        )
    try:
        deadline = time.monotonic() + 180
        while not is_healthy(address):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.1)
        yield WebNode(address, process)
    finally:
        process.terminate()
        process.wait(20)


def is_healthy(address: str) -> bool:
    try:
        return httpx2.get(f"{address}/api/health").status_code == 200
    except httpx2.ConnectError:
        return False
