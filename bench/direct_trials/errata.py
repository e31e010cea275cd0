"""Our own service, as `errata up` runs it."""

import os
import resource
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil

from bench.direct_trials.senders import Way, number_in, ways_of
from bench.direct_trials.target import STARTS_WITHIN_SECONDS
from bench.kill import event_count
from errata.errors import ErrataError
from errata.warehouse.roles import Role
from tests.ports import free_port, wait_for
from tests.service import ROOT, UP_WITH_QUICK_RESTARTS, Service, running

ALL = "all"
SETTINGS = {"PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in (".", "shipper", "wire"))}
ERRORS = (
    "select message as text, uniqExact(item_id) as copies from errata_raw.error_events "
    "where type = {type:String} group by text"
)
LOGS = "select body as text, uniqExact(item_id) as copies from errata_raw.logs group by text"
ROWS = "select (select count() from errata_raw.error_events) + (select count() from errata_raw.logs) as n"


class Errata:
    name = "errata"
    parts = ("web", "warehouse", "web", "pipelines", ALL)

    def __init__(self, directory: Path, workers: int, stack: ExitStack) -> None:
        self.directory = directory
        self._options = ("--port", str(free_port()), "--workers", str(workers))
        self._stack = stack
        self.service = self._started()

    @property
    def ways(self) -> Sequence[Way]:
        """Half of all by DSN."""
        place = self.service.credentials["dsn"].partition("://")[2]
        key, _, rest = place.partition("@")
        ways = ways_of(int(self._options[1]), rest.rpartition("/")[2], key)
        return [ways["envelope"], ways["traces"], ways["envelope"], ways["logs"]]

    def hold_database(self, seconds: float) -> None:
        """Stopped, and those that the supervisor starts in its place, too."""
        until = time.monotonic() + seconds
        held: dict[int, psutil.Process] = {}
        while time.monotonic() < until:
            for process in self.service.processes().get("warehouse", ()):
                with suppress(psutil.NoSuchProcess):
                    process.suspend()
                    held[process.pid] = process
            time.sleep(0.05)
        for process in held.values():
            with suppress(psutil.NoSuchProcess):
                process.resume()

    def break_writes(self, seconds: float) -> None:
        """The limit of a file's size falls into the middle of a line."""
        files = [file for file in (self.directory / "spool").rglob("errata-*") if file.is_file()]
        most = max(file.stat().st_size for file in files) + 50_021
        for process in self.service.processes()["web"]:
            process.rlimit(psutil.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
        time.sleep(seconds)
        for process in self.service.processes()["web"]:
            process.rlimit(psutil.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    def kill(self, part: str) -> None:
        if part != ALL:
            self.service.kill(part)
            wait_for(int(self._options[1]), STARTS_WITHIN_SECONDS)
            return
        for process in [one for members in self.service.processes().values() for one in members]:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self.service.process.wait()
        self.service = self._started()

    def waiting(self) -> int | None:
        try:
            warehouse = self.service.warehouse(Role.ADMIN)
        except (KeyError, StopIteration, psutil.NoSuchProcess):
            return None
        try:
            return int(warehouse.rows(ROWS)[0]["n"])
        except ErrataError:
            return None
        finally:
            warehouse.close()

    def stored(self) -> Mapping[str, Counter[int]]:
        warehouse = self.service.warehouse(Role.ADMIN, timeout_seconds=300)
        try:
            return {
                "envelope": _numbers(warehouse.rows(ERRORS, {"type": "KeyError"})),
                "traces": _numbers(warehouse.rows(ERRORS, {"type": "ValueError"})),
                "logs": _numbers(warehouse.rows(LOGS)),
            }
        finally:
            warehouse.close()

    def counted(self) -> tuple[int, int]:
        """By the issue list, and by ids; log records are read by id."""
        warehouse = self.service.warehouse(Role.ADMIN)
        stored = warehouse.rows("select uniqExact(item_id) as n from errata_raw.error_events")[0]["n"]
        warehouse.close()
        return event_count(self.service) or 0, int(stored)

    def _started(self) -> Service:
        started = running(
            *self._options, directory=self.directory, program=UP_WITH_QUICK_RESTARTS, settings=SETTINGS
        )
        service = self._stack.enter_context(started)
        wait_for(int(self._options[1]), STARTS_WITHIN_SECONDS)
        return service


def _numbers(rows: Sequence[Mapping[str, object]]) -> Counter[int]:
    return Counter({number_in(str(row["text"])): int(str(row["copies"])) for row in rows})


@contextmanager
def errata(directory: Path, workers: int) -> Iterator[Errata]:
    with ExitStack() as stack:
        yield Errata(directory / "data", workers, stack)
