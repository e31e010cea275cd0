"""A host in a temporary folder: log files, a shipper, and a clock that moves only when told."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from errata_shipper.agent import Agent
from errata_shipper.client import ServerClient
from errata_shipper.lock import DirectoryLock
from errata_shipper.settings import Settings

from tests.shipper.ingest_server import API_KEY, APP_KEY, IngestServer

TODAY = "errata-2026-11-21.log"


class HandClock:
    """Waiting takes no real time; `on_wait` may change the world meanwhile."""

    def __init__(self) -> None:
        self.is_stopping = False
        self.waits: list[float] = []
        self.on_wait: Callable[[], None] = lambda: None
        # By how much the time of day is off; the time that passes is not.
        self.error_seconds = 0.0
        self._elapsed = 1000.0

    def now(self) -> datetime:
        return datetime(2026, 11, 21, 10, tzinfo=UTC) + timedelta(seconds=self._elapsed + self.error_seconds)

    def monotonic(self) -> float:
        return self._elapsed

    def wait(self, seconds: float, wake: int | None = None) -> None:
        self.waits.append(seconds)
        self._elapsed += seconds
        self.on_wait()

    def pass_time(self, seconds: float) -> None:
        self._elapsed += seconds


class Host:
    def __init__(
        self,
        storage_path: Path,
        server: IngestServer,
        is_watching: bool = True,
        lock: DirectoryLock | None = None,
        **overrides: object,
    ) -> None:
        self.is_watching = is_watching
        self.lock = lock
        self.timeout_seconds = 5.0
        self.name = "web-1"
        self.storage_path = storage_path
        self.server = server
        self.clock = HandClock()
        self.settings = settings_for(storage_path, server.base_url, **overrides)
        self.start()

    def start(self) -> None:
        self.client = ServerClient(
            self.settings.base_url,
            self.settings.api_key,
            self.settings.app_key,
            timeout_seconds=self.timeout_seconds,
        )
        self.agent = Agent(
            self.settings,
            self.client,
            self.clock,
            host=self.name,
            lock=self.lock,
            is_watching=self.is_watching,
        )
        self.agent.load()

    def restart(self) -> None:
        self.stop()
        self.start()

    def kill(self) -> None:
        """Nothing is saved on the way: what stands on the disk by now is what the next start finds."""
        tracker = self.storage_path / "tracker.json"
        content = tracker.read_bytes() if tracker.exists() else None
        self.stop()
        tracker.unlink(missing_ok=True)
        if content is not None:
            tracker.write_bytes(content)
        self.start()

    def stop(self) -> None:
        self.agent.close()
        self.client.close()

    def write(self, content: bytes, name: str = TODAY) -> None:
        with (self.storage_path / name).open("ab") as file:
            file.write(content)

    def flush(self) -> None:
        """Let a flush interval pass, and the shipper look before and after it."""
        self.agent.step()
        self.clock.pass_time(self.settings.flush_interval_seconds + 0.01)
        self.agent.step()

    def rejected(self) -> list[Path]:
        return sorted((self.storage_path / "rejected").glob("*"))


def settings_for(storage_path: Path, base_url: str, **overrides: object) -> Settings:
    values: dict[str, object] = {
        "api_key": API_KEY,
        "app_key": APP_KEY,
        "base_url": base_url,
        "storage_path": storage_path,
        # So that lines are stored in their order; test_window.py is about several at once.
        "concurrency": 1,
        **overrides,
    }
    return Settings(**values)  # type: ignore[arg-type]
