"""What a service costs that rests, and one that has little to do: CPU and memory of each process.

`python -m bench.rest` starts a service without data and watches it for as long as `--seconds` says. With
`--busy` three page loads and one error arrive every second. Jobs run every five or ten minutes: figures of
shorter times depend on when they begin.
"""

import argparse
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from itertools import islice

import psutil
import urllib3

from bench.events import repeated
from bench.figures import figure
from bench.freshness import LINES_A_SECOND, age_of_pages
from bench.visits.making import captured_lines, deliver
from tests.service import Service, running

# Python's imports, migrations and the first builds are not what this is about.
SETTLES_WITHIN_SECONDS = 120.0
SAMPLE_SECONDS = 5.0
ERRORS = 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.rest")
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--busy", action="store_true")
    parser.add_argument("--no-pipelines", action="store_true")
    chosen = parser.parse_args()
    facts = {"seconds": chosen.seconds, "busy": chosen.busy}
    options = ["--no-pipelines"] if chosen.no_pipelines else []
    arrivals = _arrivals if chosen.busy else nullcontext
    with running(*options) as service, arrivals(service):
        time.sleep(SETTLES_WITHIN_SECONDS)
        _watch(service, chosen.seconds, facts)


def _watch(service: Service, seconds: int, facts: dict[str, object]) -> None:
    began_at, before = time.monotonic(), cpu_seconds(service)
    sampled, spent, sizes = 0, before, Counter[str]()
    while time.monotonic() - began_at < seconds:
        time.sleep(SAMPLE_SECONDS)
        # A process that ends between two looks counts with its parent.
        spent = cpu_seconds(service)
        sizes += Counter(pss_bytes(service))
        sampled += 1
    elapsed = time.monotonic() - began_at
    shares = {
        name: (spent.get(name, 0.0) - before.get(name, 0.0)) / elapsed * 100 for name in spent.keys() | before
    }
    for name, share in [*sorted(shares.items()), ("all", sum(shares.values()))]:
        figure("rest_cpu", share, "% of a core", process=name, **facts)
    for name, size in [*sorted(sizes.items()), ("all", sum(sizes.values()))]:
        figure("rest_pss", size / sampled / 1e6, "MB", process=name, **facts)


@contextmanager
def _arrivals(service: Service) -> Iterator[None]:
    ending = threading.Event()
    flow = threading.Thread(target=_deliver, args=(service, ending), daemon=True)
    flow.start()
    while age_of_pages(service) is None:
        time.sleep(1)
    yield
    ending.set()
    flow.join(10)


def _deliver(service: Service, ending: threading.Event) -> None:
    errors = repeated(ERRORS, seed=time.time_ns())
    while True:
        loads = captured_lines(datetime.now(UTC), f"{time.time_ns()}")
        while batch := [*islice(loads, LINES_A_SECOND), *islice(errors, 1)]:
            if ending.wait(1):
                return
            # A busy machine may need longer than a client waits: the next second's lines follow.
            with suppress(urllib3.exceptions.HTTPError):
                deliver(service, [line.strip() for line in batch])
            if len(batch) == 1:
                break


def cpu_seconds(service: Service) -> dict[str, float]:
    """By process; those that have ended count with their parent."""
    spent = defaultdict[str, float](float)
    for name, process in _processes(service):
        with suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            spent[name] += times.user + times.system + times.children_user + times.children_system
    return spent


def pss_bytes(service: Service) -> dict[str, int]:
    sizes = Counter[str]()
    for name, process in _processes(service):
        with suppress(psutil.NoSuchProcess):
            sizes[name] += process.memory_full_info().pss
    return dict(sizes)


def _processes(service: Service) -> Iterator[tuple[str, psutil.Process]]:
    for part, members in service.processes().items():
        for process in members:
            with suppress(psutil.NoSuchProcess):
                yield f"pipelines: {_program(process)}" if part == "pipelines" else part, process


def _program(process: psutil.Process) -> str:
    """Its own name, or the module that Python runs."""
    words, name = process.cmdline(), process.name()
    if not name.startswith("python"):
        return name
    return words[words.index("-m") + 1] if "-m" in words else "run"


if __name__ == "__main__":
    main()
