"""Runs beside each other on one service, whose parts are killed while all of them write."""

import threading
import time
import traceback
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path
from random import Random

from tests.flow.faults.holdings import Holdings
from tests.flow.faults.matrix import FAULTS
from tests.flow.faults.result import Result
from tests.flow.faults.run import Run, WentWrong
from tests.flow.faults.tenant import Tenants
from tests.service import Service

PARTS = ("web", "warehouse")
GAP_SECONDS = (0.3, 2.5)

Case = tuple[str, int]


class Block:
    def __init__(
        self,
        service: Service,
        tenants: Tenants,
        holdings: Holdings,
        folder: Path,
        cases: Sequence[Case],
        most_kills: int,
    ) -> None:
        base_url = service.credentials["base_url"]
        tenant = tenants.create(folder.name)
        self.runs = [
            Run(fault, seed, folder / f"{fault}-{seed}", base_url, tenants, tenant, holdings, most_kills)
            for fault, seed in cases
        ]
        self._service = service
        self._holdings = holdings
        self._chance = Random(f"{cases}")
        self._service_is_safe = threading.Event()
        self._kills = dict.fromkeys(PARTS, 0)

    def execute(self) -> list[Result]:
        self._holdings.watch([run.name for run in self.runs])
        with ThreadPoolExecutor(len(self.runs) + 1) as threads:
            killing = threads.submit(self._kill_service)
            # A course that breaks off is a finding of its own; the other runs go on.
            courses = [
                threads.submit(run.execute, FAULTS[run.fault], self._service_is_safe) for run in self.runs
            ]
            killing.result()
        shown = self.shown()
        return [
            run.result(_problems(course.exception()), self._kills, *shown[run.name])
            for run, course in zip(self.runs, courses, strict=True)
        ]

    def shown(self) -> dict[str, tuple[int, int]]:
        """Of each run the events counted, and the bytes that the ledger shows as missing."""
        found = {}
        for _, runs in groupby(sorted(self.runs, key=_organization), key=_organization):
            found.update(self._shown_of(list(runs)))
        return found

    def _shown_of(self, runs: Sequence[Run]) -> dict[str, tuple[int, int]]:
        counted = self._holdings.counted(runs[0].tenant)
        missing = self._holdings.missing_bytes(runs[0].tenant)
        shown = {}
        for run in runs:
            own = missing.keys() & run.file_ids()
            shown[run.name] = (counted[run.application.exception_type], sum(map(missing.pop, own)))
        if missing:
            # Of files that begin with a line that is no event.
            shown[runs[0].name] = (shown[runs[0].name][0], sum(missing.values()))
        return shown

    def _kill_service(self) -> None:
        parts = [*PARTS, *self._chance.choices(PARTS, k=1)]
        self._chance.shuffle(parts)
        try:
            for part in parts:
                time.sleep(self._chance.uniform(*GAP_SECONDS))
                self._service.kill(part)
                self._kills[part] += 1
        finally:
            self._service_is_safe.set()


def _organization(run: Run) -> int:
    return run.tenant.organization_id


def _problems(error: BaseException | None) -> list[str]:
    if error is None:
        return []
    return [str(error) if isinstance(error, WentWrong) else "".join(traceback.format_exception(error))]
