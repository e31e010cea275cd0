"""A host: its log directory, its errata.yaml, and the shipper that runs on it."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from bench.service import ROOT

STOPPED_WITHIN_SECONDS = 30


class Host:
    def __init__(self, folder: Path, logs: Path, fields: dict[str, Any]) -> None:
        self.folder = folder
        self.logs = logs
        self.kill_count = 0
        # Held while a shipper is ended or started, and by what must not be interrupted by a kill.
        self.lock = threading.RLock()
        self._config = folder / "errata.yaml"
        self._fields = fields
        self._process: subprocess.Popen[bytes] | None = None
        self.configure()

    @property
    def log_path(self) -> Path:
        return self.folder / "shipper.log"

    def configure(self, **fields: Any) -> None:
        self._fields |= fields
        self._config.touch(0o600)
        self._config.write_text(json.dumps({"errata": {**self._fields, "storagePath": str(self.logs)}}))

    def start(self) -> None:
        with self.lock:
            self._process = self.run("--record")

    def run(self, *arguments: str) -> "subprocess.Popen[bytes]":
        with self.log_path.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "errata_shipper", "--config", str(self._config), *arguments],
                env={**os.environ, "PYTHONPATH": str(ROOT / "shipper")},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def kill(self) -> None:
        with self.lock:
            self._running.kill()
            self._running.wait()
            self.kill_count += 1

    def stop(self) -> int:
        """Ask it to stop; its exit code."""
        with self.lock:
            self._running.terminate()
            return self._running.wait(STOPPED_WITHIN_SECONDS)

    def end(self) -> None:
        """However the run went, nothing of it goes on."""
        with self.lock:
            if self._process is not None and self._process.poll() is None:
                self._process.kill()
                self._process.wait()

    @property
    def _running(self) -> "subprocess.Popen[bytes]":
        assert self._process is not None
        return self._process

    @property
    def ended_with(self) -> int | None:
        """The exit code of a shipper that nobody ended; None while it runs."""
        return self._running.poll()
