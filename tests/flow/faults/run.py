"""One run: a fault on one host, with kills at random moments, and what came of it."""

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from errata_shipper.source import file_id_of

from tests.flow.faults.application import Application, Line
from tests.flow.faults.holdings import Holdings
from tests.flow.faults.host import Host
from tests.flow.faults.network import Network
from tests.flow.faults.result import Result
from tests.flow.faults.set_aside import digest_of, set_aside_digests
from tests.flow.faults.tenant import Tenant, Tenants

ROUNDS = 8
PAUSE_SECONDS = 0.8
# The first one while lines are written, the others perhaps after it.
KILLED_FIRST_WITHIN_SECONDS = 4.0
KILLED_WITHIN_SECONDS = 8.0
STARTED_AGAIN_WITHIN_SECONDS = 0.5
# Longer than anything takes on a machine that has much else to do.
STORED_WITHIN_SECONDS = 180.0
OPEN_WITHIN_SECONDS = 120.0
LOOK_SECONDS = 0.1

Fault = Callable[["Run"], None]


class WentWrong(Exception):
    """What a run saw that must not be, apart from lines lost or counted twice."""


class Run:
    """What a fault works with. All its chance comes of the fault's name and the seed."""

    def __init__(
        self,
        fault: str,
        seed: int,
        folder: Path,
        base_url: str,
        tenants: Tenants,
        tenant: Tenant,
        holdings: Holdings,
        most_kills: int,
    ) -> None:
        self.fault = fault
        self.seed = seed
        self.name = f"{fault}-{seed}"
        self.folder = folder
        self.logs = folder / "logs"
        self.logs.mkdir(parents=True)
        self.chance = Random(self.name)
        self._tenants = tenants
        self.tenant = tenant
        self.application = Application(self.logs, self.name, self.chance)
        self.host = Host(folder, self.logs, self._settings(base_url))
        self.facts: dict[str, Any] = {}
        self._base_url = base_url
        self._most_kills = most_kills
        self._holdings = holdings
        self._network: Network | None = None
        self._began = time.monotonic()
        self._seconds = 0.0
        self._is_over = threading.Event()
        self._killer = threading.Thread(target=self._kill_at_random, daemon=True)

    def begin(self) -> None:
        """Start the shipper, and with it the danger that it is killed."""
        self.host.start()
        self._killer.start()

    @property
    def network(self) -> Network:
        """Between host and service if it is asked for before the beginning."""
        if self._network is None:
            self._network = Network(self._base_url)
            self.host.configure(baseUrl=self._network.base_url)
        return self._network

    def be_alone(self) -> None:
        """Belong to an organization of its own, before the beginning."""
        self.tenant = self._tenants.create(self.name)
        self.use_keys()

    def rotate_keys(self) -> None:
        self._tenants.rotate_keys(self.tenant)

    def use_keys(self) -> None:
        """Write the current keys into errata.yaml."""
        self.host.configure(apiKey=self.tenant.api_key, appKey=self.tenant.app_key)

    def rounds(self, count: int = ROUNDS) -> Iterator[int]:
        for number in range(count):
            yield number
            self.pause()

    def pause(self, seconds: float = PAUSE_SECONDS) -> None:
        time.sleep(self.chance.uniform(0, seconds))

    @contextmanager
    def spared(self) -> Iterator[None]:
        """No kill of the shipper meanwhile: with it would go what it alone holds open."""
        with self.host.lock:
            yield

    def stop(self) -> None:
        """Ask the shipper to stop, which takes seconds."""
        code = self.host.stop()
        # The signal itself ends one that has only just been started.
        if code not in (0, -signal.SIGTERM):
            raise WentWrong(f"the shipper, asked to stop, ended with {code}")

    def await_open(self, path: Path) -> None:
        """Until the shipper holds the file open."""
        deadline = time.monotonic() + OPEN_WITHIN_SECONDS
        while not self.host.has_open(path):
            if time.monotonic() > deadline:
                raise WentWrong(f"{path.name} was not opened within {OPEN_WITHIN_SECONDS:.0f} s")
            time.sleep(LOOK_SECONDS)

    def await_stored(self, lines: Sequence[Line] = ()) -> None:
        """Until these lines are stored; if none are given, until all so far are, or are set aside."""
        deadline = time.monotonic() + STORED_WITHIN_SECONDS
        while not (self._are_stored(lines) if lines else self._is_accounted_for()):
            self._see_that_it_runs()
            if time.monotonic() > deadline:
                raise WentWrong(f"lines were still missing after {STORED_WITHIN_SECONDS:.0f} s")
            time.sleep(LOOK_SECONDS)

    def execute(self, fault: Fault, service_is_safe: threading.Event) -> None:
        """The fault's course, then writing until each part has been killed, and the service is no more."""
        try:
            fault(self)
            while not (service_is_safe.is_set() and self.host.kill_count):
                self.application.write()
                self.pause()
            self.await_stored()
            self._end_in_order()
        finally:
            self._is_over.set()
            self._seconds = time.monotonic() - self._began
            self.host.end()
            if self._network is not None:
                self._network.close()

    def file_ids(self) -> set[str]:
        """By what the ledger knows any file that begins with one of its lines."""
        return {file_id_of(line.content + b"\n") for line in self.application.written}

    def result(self, problems: list[str], kills: dict[str, int], counted: int, missing_bytes: int) -> Result:
        written = {line.event_id for line in self.application.written if line.event_id}
        copies = self._holdings.copies(self.name)
        aside = self._set_aside()
        missing = [line for line in self.application.written if line.event_id not in copies]
        kept = [line for line in missing if digest_of(line.content) in aside]
        return Result(
            self.fault,
            self.seed,
            round(self._seconds, 1),
            {**kills, "shipper": self.host.kill_count},
            written=len(self.application.written),
            stored=len(copies),
            set_aside=len(kept),
            copies=copies.total() - len(copies),
            counted=counted,
            missing_bytes=missing_bytes,
            lost=len(missing) - len(kept),
            invented=len(copies.keys() - written),
            problems=problems,
            facts=self.facts,
            folder=str(self.folder),
        )

    def _settings(self, base_url: str) -> dict[str, Any]:
        return {
            "apiKey": self.tenant.api_key,
            "appKey": self.tenant.app_key,
            "baseUrl": base_url,
            "flushInterval": self.chance.choice(["50ms", "200ms", "500ms"]),
            "batchSize": self.chance.choice([1, 5, 20, 100, 1000]),
            "timeout": "10s",
        }

    def _are_stored(self, lines: Sequence[Line]) -> bool:
        stored = self._holdings.stored(self.name)
        return all(line.event_id in stored for line in lines)

    def _is_accounted_for(self) -> bool:
        stored = self._holdings.stored(self.name)
        missing = [line for line in self.application.written if line.event_id not in stored]
        return not missing or {digest_of(line.content) for line in missing} <= self._set_aside()

    def _set_aside(self) -> set[bytes]:
        return set_aside_digests(self.application.logs) | set_aside_digests(self.logs)

    def _see_that_it_runs(self) -> None:
        with self.host.lock:
            if self.host.ended_with is not None:
                raise WentWrong(f"the shipper ended by itself with {self.host.ended_with}")

    def _end_in_order(self) -> None:
        self._is_over.set()
        self._killer.join()
        self._see_that_it_runs()
        self.stop()

    def _kill_at_random(self) -> None:
        # Apart from the course's own chance, whose order two threads would mix up.
        chance = Random(f"{self.name} kills")
        moments = [chance.uniform(0, KILLED_FIRST_WITHIN_SECONDS)]
        moments += [
            chance.uniform(0, KILLED_WITHIN_SECONDS) for _ in range(chance.randrange(self._most_kills))
        ]
        began = time.monotonic()
        for moment in sorted(moments):
            if self._is_over.wait(began + moment - time.monotonic()):
                return
            self.host.kill_and_start(chance.uniform(0, STARTED_AGAIN_WITHIN_SECONDS))
