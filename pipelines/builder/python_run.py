"""A run of a mart made by Python: under the lease of the mart, and published by the row that publishes every
build."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from time import monotonic

from errata.warehouse.client import Warehouse
from errata.warehouse.now import warehouse_now
from pipelines.builder.attempt import Attempt
from pipelines.builder.build_log import BuildLog, last_build_of
from pipelines.builder.lease import Lease, Pace
from pipelines.builder.mart import Mart

# An insert takes 20 s at most and is stamped when it starts.
LAG = timedelta(seconds=60)


@dataclass(frozen=True)
class Run:
    """`since`: the watermark of the last run, which had `last_count` windows; `watermark`: that of this one,
    before which every row received is covered."""

    attempt: Attempt
    lease: Lease
    since: datetime
    last_count: int
    watermark: datetime
    _began: float = field(default_factory=monotonic)

    @property
    def seconds(self) -> float:
        return monotonic() - self._began

    def publish(self, window_count: int, row_count: int) -> None:
        """Raises LeaseLost if this builder was taken for dead."""
        self.lease.check()
        build_log = BuildLog(self.attempt)
        build_log.record(self.watermark, window_count, row_count, self.seconds, build_log.table_uuid())


@contextmanager
def python_run(
    warehouse: Warehouse, mart: str, lag: timedelta = LAG, pace: Pace | None = None
) -> Iterator[Run]:
    """A run that has the lease of the mart. Raises LeaseHeld if another one outlasts the wait."""
    attempt = Attempt(warehouse, Mart(mart, dirty=""))
    with Lease(warehouse, [mart], attempt.id, pace or Pace()) as lease:
        since, last_count = last_build_of(warehouse, mart)
        yield Run(attempt, lease, since, last_count, warehouse_now(warehouse) - lag)
