"""Blocks on one service after each other, then a build and a second count of every run."""

import logging
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.flow.faults.block import Block, Case
from tests.flow.faults.holdings import Holdings
from tests.flow.faults.result import Result
from tests.flow.faults.tenant import Tenants
from tests.service import ROOT, UP_WITH_QUICK_RESTARTS, Service, running

# A watermark trails the arrival of rows by a minute: only then a build counts them in the marts.
WATERMARK_SECONDS = 62.0
BUILD_WITHIN_SECONDS = 120


class Series:
    def __init__(self, service: Service, folder: Path) -> None:
        self._service = service
        self._folder = folder
        self._tenants = Tenants(service)
        self._holdings = Holdings(service)
        self._seen: list[tuple[Block, list[Result]]] = []
        self._last_block_at = time.monotonic()

    def execute(self, cases: Sequence[Case], most_kills: int = 3) -> list[Result]:
        """`most_kills` of each host's shipper, one at least."""
        block = Block(self._service, self._tenants, self._holdings, self._folder, cases, most_kills)
        results = block.execute()
        self._seen.append((block, results))
        self._last_block_at = time.monotonic()
        return results

    def build_and_count_again(self) -> list[Result]:
        time.sleep(max(0.0, self._last_block_at + WATERMARK_SECONDS - time.monotonic()))
        subprocess.run(
            [sys.executable, "-m", "errata", "build", "--data", str(self._service.directory)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            check=True,
            timeout=BUILD_WITHIN_SECONDS,
            stdout=subprocess.DEVNULL,
        )
        for block, results in self._seen:
            shown = block.shown()
            for run, result in zip(block.runs, results, strict=True):
                result.counted_after_build, missing_bytes = shown[run.name]
                result.missing_bytes = max(result.missing_bytes, missing_bytes)
        return [result for _, results in self._seen for result in results]

    def close(self) -> None:
        """What went well leaves nothing behind."""
        self._holdings.close()
        self._tenants.close()
        for _, results in self._seen:
            for result in results:
                if result.is_good:
                    shutil.rmtree(result.folder)


@contextmanager
def running_series(folder: Path) -> Iterator[Series]:
    """Of a series that did not go well the service's directory stays, as `service` in `folder`."""
    # The driver tells of each connection that a kill breaks.
    logging.getLogger("clickhouse_connect").setLevel(logging.CRITICAL)
    with tempfile.TemporaryDirectory(prefix="errata-faults-") as made:
        data = Path(made) / "data"
        with running("--no-pipelines", directory=data, program=UP_WITH_QUICK_RESTARTS) as service:
            series = Series(service, folder)
            try:
                yield series
            finally:
                series.close()
        if any(folder.iterdir()):
            shutil.copytree(data, folder / "service", ignore=shutil.ignore_patterns("*.sock"))
        else:
            folder.rmdir()
