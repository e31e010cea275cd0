"""`.demo`: everything the demonstration keeps."""

import contextlib
import fcntl
import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path


class DemoError(Exception):
    """Why the demonstration cannot go on, in a sentence for a person."""


class DemoFolder:
    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.data = self.path / "data"
        self.logs = self.path / "logs"
        self.mail = self.path / "mail"
        # There once the shop was deployed while people watched.
        self.deployed_path = self.path / "deployed"
        self.tour_path = self.path / "tour.html"
        self.set_up_path = self.path / "set-up.json"
        self.shipper_config = self.path / "errata.yaml"
        self.path.mkdir(parents=True, exist_ok=True)

    def output_of(self, name: str) -> Path:
        return self.path / "output" / f"{name}.txt"

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """Only one demonstration at a time."""
        with (self.path / "lock").open("a+") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                lock.seek(0)
                raise DemoError(f"a demo is already running: {lock.read().strip()}") from error
            lock.truncate(0)
            lock.write(f"process {os.getpid()} in {self.path}\n")
            lock.flush()
            yield

    def port(self, of: str) -> int:
        """A free port, the same as last time if possible: stack traces and settings name it."""
        remembered = self.path / f"{of}-port"
        before = remembered.read_text("ascii") if remembered.exists() else "0"
        port = _free_port(int(before) if before.isdigit() else 0)
        remembered.write_text(str(port), "ascii")
        return port

    @property
    def credentials_path(self) -> Path:
        return self.data / "credentials.json"

    def credentials(self) -> dict[str, str]:
        known: dict[str, str] = json.loads(self.credentials_path.read_text("utf-8"))
        return known

    def write_shipper_config(self, base_url: str, api_key: str, app_key: str) -> None:
        """As a person would write it; JSON strings are YAML strings."""
        self.logs.mkdir(mode=0o750, exist_ok=True)
        settings = {
            "baseUrl": base_url,
            "apiKey": api_key,
            "appKey": app_key,
            "storagePath": str(self.logs),
            "flushInterval": "1s",
            "batchSize": 1000,
        }
        lines = ["errata:", *(f"  {name}: {json.dumps(value)}" for name, value in settings.items())]
        self.shipper_config.unlink(missing_ok=True)
        descriptor = os.open(self.shipper_config, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")


def _free_port(wanted: int) -> int:
    with socket.socket() as probe:
        # As a server does: a port whose last connections are still fading is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", wanted))
            return int(probe.getsockname()[1])
    return _free_port(0)
