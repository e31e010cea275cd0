"""`python -m bench.faults`: run the matrix, go on where it was left, print what it found."""

import argparse
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

from bench.faults.summary import summary_of
from tests.flow.faults.block import Case
from tests.flow.faults.matrix import FAULTS
from tests.flow.faults.result import Result, append_result, read_results
from tests.flow.faults.series import running_series

AT_ONCE = 16
BLOCKS_A_SERVICE = 8


def main() -> None:
    options = _parser().parse_args()
    if not options.summary:
        Matrix(options).run()
    results = read_results(options.results)
    print(summary_of(results))
    bad = [result for result in results if not result.is_good]
    for result in bad:
        print(f"{result.fault} {result.seed}: {result}", file=sys.stderr)
    sys.exit(1 if bad else 0)


class Matrix:
    """Two services at a time: one runs blocks while the one before waits for its watermark and builds."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._keep: Path = options.keep or Path(tempfile.mkdtemp(prefix="errata-faults-"))
        self._turn = threading.Lock()
        self._appending = threading.Lock()
        self._began = time.monotonic()
        self._done = 0
        self._bad = 0
        self._cases = self._open_cases()

    def run(self) -> None:
        chunks = list(_chunks(self._cases, self._options.at_once * BLOCKS_A_SERVICE))
        with ThreadPoolExecutor(2) as threads:
            for finished in [threads.submit(self._serve, chunk) for chunk in chunks]:
                finished.result()

    def _open_cases(self) -> list[Case]:
        done = {(result.fault, result.seed) for result in read_results(self._options.results)}
        # Seeds before faults, so that a matrix cut short holds some of each.
        wanted = [(fault, seed) for seed, fault in product(self._options.seeds, self._options.faults)]
        return [case for case in wanted if case not in done]

    def _serve(self, cases: Sequence[Case]) -> None:
        folder = self._keep / f"{cases[0][0]}-{cases[0][1]}-and-on"
        folder.mkdir(parents=True)
        with running_series(folder) as series:
            with self._turn:
                for block in _chunks(cases, self._options.at_once):
                    self._say(series.execute(block))
            with self._appending:
                for result in series.build_and_count_again():
                    append_result(self._options.results, result)

    def _say(self, results: Sequence[Result]) -> None:
        self._done += len(results)
        self._bad += sum(not result.is_good for result in results)
        seconds = time.monotonic() - self._began
        print(f"{self._done} of {len(self._cases)} runs in {seconds:.0f} s, {self._bad} bad", flush=True)


def _chunks(cases: Sequence[Case], size: int) -> Iterator[Sequence[Case]]:
    for start in range(0, len(cases), size):
        yield cases[start : start + size]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.faults",
        description="Every fault of log files, shipper and network, with kills; exit 1 if anything was lost.",
    )
    parser.add_argument("--faults", type=_faults, default=list(FAULTS), metavar="A,B", help="default: all")
    parser.add_argument("--seeds", type=_seeds, default=range(3), metavar="0-99", help="default: 0-2")
    parser.add_argument(
        "--results",
        type=Path,
        required=True,
        metavar="FILE",
        help="one JSON line a run; those in it are done",
    )
    parser.add_argument("--at-once", type=int, default=AT_ONCE, metavar="N", help="hosts beside each other")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where what went wrong leaves its files")
    parser.add_argument("--summary", action="store_true", help="only print the results as a table")
    return parser


def _faults(text: str) -> list[str]:
    names = text.split(",")
    for name in names:
        if name not in FAULTS:
            raise argparse.ArgumentTypeError(f"{name} is none of {', '.join(FAULTS)}")
    return names


def _seeds(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)
