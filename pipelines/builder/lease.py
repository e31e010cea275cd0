"""A lease: one builder a mart. Claims are appended rows, and the earliest claim with a heartbeat holds.

All times are by the warehouse's clock. A holder without a heartbeat (killed, paused, cut off) loses the lease
after `lifetime`. A builder checks its lease before it publishes, and publishes nothing once it is lost.
"""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from types import TracebackType
from typing import Self

from errata.errors import ErrataError
from errata.warehouse import sql
from errata.warehouse.client import QueryFailed, Warehouse, WarehouseUnavailable


class LeaseHeld(ErrataError):
    """Another builder has the mart, and does the work."""

    code = "lease_held"

    def __init__(self, mart: str, waited_seconds: float) -> None:
        super().__init__(f"Another build of {mart} was still running after {waited_seconds:.0f} s")
        self.mart = mart


class LeaseLost(ErrataError):
    """This builder was taken for dead; the next one drops its unpublished rows."""

    code = "lease_lost"

    def __init__(self, mart: str, attempt: str) -> None:
        super().__init__(f"Attempt {attempt} lost the lease of {mart} and stopped")
        self.mart = mart
        self.attempt = attempt


@dataclass(frozen=True)
class Pace:
    """The times of a build; only tests need others."""

    lag: timedelta = timedelta(seconds=25)
    """The watermark trails the clock: an insert is stamped at its begin and visible at its end, 20 s later at
    most. Clocks of nodes may differ a little."""
    lifetime: timedelta = timedelta(seconds=20)
    settle: timedelta = timedelta(milliseconds=500)
    """A claim holds only after this time: an earlier one may still be on its way into the table."""
    wait: timedelta = timedelta(seconds=60)


class Lease:
    """A lease on the marts named. One insert claims them all, so that two builders cannot block each
    other."""

    def __init__(self, warehouse: Warehouse, marts: Sequence[str], attempt: str, pace: Pace) -> None:
        self._warehouse = warehouse
        self._marts = list(marts)
        self._attempt = attempt
        self._pace = pace
        self._ended = threading.Event()
        self._beating = threading.Thread(target=self._beat, name=f"lease-{attempt}", daemon=True)

    def __enter__(self) -> Self:
        started = time.monotonic()
        self._claim(started)
        self._beating.start()
        while (mart := self._not_held()) is not None:
            waited = time.monotonic() - started
            if waited > self._pace.wait.total_seconds():
                self._release()
                raise LeaseHeld(mart, waited)
            time.sleep(self._pace.settle.total_seconds())
        self._warehouse.execute(
            sql.build_statement("revoke_leases"),
            {"marts": self._marts, "attempt": self._attempt, "lifetime_ms": self._lifetime_ms},
        )
        return self

    @property
    def _lifetime_ms(self) -> int:
        return int(self._pace.lifetime / timedelta(milliseconds=1))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._release()

    def check(self) -> None:
        """Raises LeaseLost unless every mart is still held."""
        if (mart := self._not_held()) is not None:
            raise LeaseLost(mart, self._attempt)

    def _claim(self, started: float) -> None:
        settle = self._pace.settle.total_seconds()
        while True:
            claimed_at = time.monotonic()
            self._record("claimed")
            if time.monotonic() - claimed_at < settle / 2:
                break
            # A claim stamped early and visible late may have been overtaken by a builder that could not see
            # it.
            self._record("released")
            if time.monotonic() - started > self._pace.wait.total_seconds():
                raise LeaseHeld(self._marts[0], time.monotonic() - started)
        time.sleep(settle)

    def _not_held(self) -> str | None:
        return next((mart for mart in self._marts if not self._is_holder(mart)), None)

    def _is_holder(self, mart: str) -> bool:
        parameters = {"mart": mart, "lifetime_ms": self._lifetime_ms}
        holders = self._warehouse.rows(sql.build_statement("holder_of_lease"), parameters)
        return bool(holders) and holders[0]["attempt"] == self._attempt

    def _beat(self) -> None:
        while not self._ended.wait(self._pace.lifetime.total_seconds() / 4):
            try:
                self._record("beating")
            except (WarehouseUnavailable, QueryFailed):
                # The next check() tells the build; one missed heartbeat is no reason to stop.
                continue

    def stop_beating(self) -> None:
        self._ended.set()
        self._beating.join()

    def _release(self) -> None:
        self.stop_beating()
        try:
            self._record("released")
        except (WarehouseUnavailable, QueryFailed):
            # The claim expires.
            return

    def _record(self, state: str) -> None:
        self._warehouse.execute(
            sql.build_statement("record_lease"),
            {"marts": self._marts, "attempt": self._attempt, "state": state},
        )
