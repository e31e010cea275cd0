"""The most memory that a service's processes use together while something is done to it."""

import threading
from types import TracebackType

from tests.service import Service

SAMPLE_SECONDS = 0.5


class PeakMemory:
    """Samples the PSS; `peak_bytes` is by part, of the moment when all together were largest,
    `largest_bytes` of the moment when each part was."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self.peak_bytes: dict[str, int] = {}
        self.largest_bytes: dict[str, int] = {}

    def __enter__(self) -> "PeakMemory":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._stopping.wait(SAMPLE_SECONDS):
            now = self._service.pss_bytes()
            for part, size in now.items():
                self.largest_bytes[part] = max(size, self.largest_bytes.get(part, 0))
            if sum(now.values()) > sum(self.peak_bytes.values()):
                self.peak_bytes = now
