"""A host: its log directory, its errata.yaml, and the shipper that runs on it."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from tests.service import ROOT

STOPPED_WITHIN_SECONDS = 30


class Host:
    def __init__(self, folder: Path, logs: Path, fields: dict[str, Any]) -> None:
        self.folder = folder
        self.logs = logs
        self.kill_count = 0
        # Held while a shipper is ended or started, and by what must not be interrupted by a kill.
        self.lock = threading.RLock()
        # How the shipper is run, and what is put before its options.
        self.program: tuple[str, ...] = ("-m", "errata_shipper")
        self._is_over = False
        self._config = folder / "errata.yaml"
        self._fields = fields
        self._started: list[subprocess.Popen[bytes]] = []
        self._process: subprocess.Popen[bytes] | None = None
        self.configure()

    @property
    def process(self) -> "subprocess.Popen[bytes]":
        """The shipper that holds the directory, or held it last."""
        assert self._process is not None
        return self._process

    @process.setter
    def process(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process

    @property
    def log_path(self) -> Path:
        return self.folder / "shipper.log"

    def configure(self, **fields: Any) -> None:
        self._fields |= fields
        self._config.touch(0o600)
        self._config.write_text(json.dumps({"errata": {"storagePath": str(self.logs), **self._fields}}))

    def start(self) -> None:
        with self.lock:
            if not self._is_over:
                self.process = self.run("--record")

    def hang_up(self) -> None:
        """Have errata.yaml read again, once the shipper is up."""
        with self.lock:
            while not _takes_hangups(self.process.pid):
                time.sleep(0.02)
            self.process.send_signal(signal.SIGHUP)

    def run(self, *arguments: str) -> "subprocess.Popen[bytes]":
        with self.log_path.open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, *self.program, "--config", str(self._config), *arguments],
                env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "shipper"), str(ROOT)))},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self._started.append(process)
        return process

    def kill(self) -> None:
        with self.lock:
            self.process.kill()
            self.process.wait()
            self.kill_count += 1

    def kill_and_start(self, pause_seconds: float = 0.0) -> None:
        with self.lock:
            self.kill()
            time.sleep(pause_seconds)
            self.start()

    def has_open(self, path: Path) -> bool:
        """Whether the shipper holds that very file open."""
        inode = path.stat().st_ino
        for link in Path(f"/proc/{self.process.pid}/fd").iterdir():
            # A descriptor may be closed while we look.
            with contextlib.suppress(FileNotFoundError):
                if link.stat().st_ino == inode:
                    return True
        return False

    def stop(self) -> int:
        """Ask it to stop; its exit code."""
        with self.lock:
            self.process.terminate()
            return self.process.wait(STOPPED_WITHIN_SECONDS)

    def end(self) -> None:
        """However the run went, nothing of it goes on."""
        with self.lock:
            self._is_over = True
            for process in self._started:
                process.kill()
                process.wait()

    @property
    def ended_with(self) -> int | None:
        """The exit code of a shipper that nobody ended; None while it runs."""
        return self.process.poll()


def _takes_hangups(pid: int) -> bool:
    """Whether the process catches SIGHUP by now, which ends one that does not."""
    caught = re.search(r"^SigCgt:\s*(\w+)$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return caught is not None and bool(int(caught[1], 16) & 1 << (signal.SIGHUP - 1))
