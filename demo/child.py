"""A process of the demonstration, with its own log and its own process group."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path


class Child:
    def __init__(
        self, name: str, arguments: list[str], log_path: Path, settings: Mapping[str, str] | None = None
    ) -> None:
        self.name = name
        self.log_path = log_path
        log_path.parent.mkdir(parents=True, exist_ok=True)
        with log_path.open("wb") as log:
            # A group of its own: Ctrl-C reaches the demonstration alone, which stops the others in order.
            self.process = subprocess.Popen(
                [sys.executable, "-m", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env={**os.environ, "PYTHONUNBUFFERED": "1", **(settings or {})},
            )

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    def log(self) -> str:
        return self.log_path.read_text("utf-8", errors="replace")

    def stop(self, within_s: float) -> None:
        """Ask first; whatever is left of its group afterwards is ended."""
        if self.is_running:
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(within_s)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
