"""A shipper as operators install it: a configuration file, a storage path, processes."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.shipper.hosts import TODAY
from tests.shipper.ingest_server import API_KEY, APP_KEY

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{ROOT / 'shipper'}{os.pathsep}{ROOT / 'wire'}"}


class Installation:
    """A configuration file and a storage path, and the processes started with them."""

    def __init__(self, folder: Path, base_url: str) -> None:
        self.config = folder / "errata.yaml"
        self.storage_path = folder / "logs"
        self.storage_path.mkdir()
        self.log = self.storage_path / TODAY
        # What the processes are started by.
        self.prefix: list[str] = []
        self._base_url = base_url
        self._started: list[subprocess.Popen[str]] = []
        self.configure()

    def configure(self, **fields: object) -> None:
        values = {
            "apiKey": API_KEY,
            "appKey": APP_KEY,
            "storagePath": self.storage_path,
            "baseUrl": self._base_url,
            "flushInterval": "50ms",
            **fields,
        }
        fields_text = "".join(f"  {name}: {value}\n" for name, value in values.items() if value is not None)
        self.config.write_text(f"errata:\n{fields_text}")
        self.config.chmod(0o600)

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [*self.prefix, sys.executable, "-m", "errata_shipper", "--config", str(self.config), *arguments],
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            timeout=30,
        )

    def record(self, *arguments: str) -> "subprocess.Popen[str]":
        return self._start("-m", "errata_shipper", "--config", str(self.config), "--record", *arguments)

    def stop_all(self) -> None:
        for process in self._started:
            process.kill()
            process.wait()
            if process.stderr is not None:
                process.stderr.close()

    def _start(self, *command: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [*self.prefix, sys.executable, *command], env=ENVIRONMENT, stderr=subprocess.PIPE, text=True
        )
        self._started.append(process)
        return process


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)
