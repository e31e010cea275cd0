"""A real intake on a free port, and the log file it writes."""

import json
import logging
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import urllib3
from errata_shipper.clock import SystemClock
from errata_shipper.intake.intake import Intake
from errata_shipper.intake.settings import IntakeSettings

APP_KEY = "errata_app_0123456789"
DEFAULT_KEY = "errata_app_of_the_configuration"


class SteppingClock(SystemClock):
    """Real, but can be moved ahead."""

    def __init__(self) -> None:
        super().__init__()
        self.ahead_seconds = 0.0

    def monotonic(self) -> float:
        return super().monotonic() + self.ahead_seconds


class Listening:
    def __init__(self, storage_path: Path, **settings: Any) -> None:
        self.storage_path = storage_path
        self.clock = SteppingClock()
        self._http = urllib3.PoolManager(retries=False, timeout=10)
        self._stack = ExitStack()
        self.start(**settings)

    def start(self, **settings: Any) -> None:
        self.stop()
        self.clock = SteppingClock()
        self.intake = Intake(IntakeSettings(port=0, **settings), self.storage_path, DEFAULT_KEY, self.clock)
        self._stack.enter_context(self.intake.running())

    def stop(self) -> None:
        self._stack.close()
        self._http.clear()

    @property
    def port(self) -> int:
        return self.intake.port

    @property
    def dsn(self) -> str:
        return f"http://{APP_KEY}@127.0.0.1:{self.port}/1"

    def send(
        self, path: str, body: bytes, headers: dict[str, str] | None = None, method: str = "POST"
    ) -> urllib3.BaseHTTPResponse:
        url = f"http://127.0.0.1:{self.port}{path}"
        return self._http.request(method, url, body=body, headers=headers)

    def send_envelope(
        self, body: bytes, path: str = "/api/1/envelope/", **headers: str
    ) -> urllib3.BaseHTTPResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.send(path, body, {"X-Sentry-Auth": f"Sentry sentry_key={APP_KEY}", **named})

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=10)

    @property
    def content(self) -> bytes:
        return b"".join(file.read_bytes() for file in sorted(self.storage_path.glob("errata-*.log")))

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.content.split(b"\n") if line]


def envelope(*items: tuple[str, bytes], header: dict[str, Any] | None = None) -> bytes:
    parts = [json.dumps(header or {}).encode()]
    for item_type, payload in items:
        parts += [json.dumps({"type": item_type, "length": len(payload)}).encode(), payload]
    return b"\n".join(parts)


@contextmanager
def heard() -> Iterator[list[str]]:
    """What the shipper says meanwhile."""
    said: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("errata_shipper")
    logger.addHandler(handler)
    yield said
    logger.removeHandler(handler)
