"""What a backup costs: full, incremental and without anything new; its check, and the restore.

`python -m bench.backup --folder DIR` makes a crowd if the folder has none. Events are delivered meanwhile.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import quantiles
from uuid import uuid4

from bench.crowd.making import EVENTS_A_DELIVERY, Making, deliver, say
from bench.crowd.originals import Event, changed, originals
from bench.crowd.plan import Plan
from bench.figures import figure
from tests.service import ROOT, Service, running

PAUSE_SECONDS = 0.1
ISSUES = 500
QUIET_SECONDS = 10


class Sender(threading.Thread):
    """Delivers events all the time, and knows how long each delivery took."""

    def __init__(self, service: Service) -> None:
        super().__init__(daemon=True)
        self.service = service
        self.milliseconds: list[float] = []
        self.stopping = threading.Event()

    def run(self) -> None:
        events = originals()
        number = 0
        while not self.stopping.wait(PAUSE_SECONDS):
            chosen = range(number, number + EVENTS_A_DELIVERY)
            batch = [_of_now(events[one % len(events)], one) for one in chosen]
            number += EVENTS_A_DELIVERY
            began = time.perf_counter()
            deliver(self.service, batch)
            self.milliseconds.append((time.perf_counter() - began) * 1000)


class Peak(threading.Thread):
    """The most memory that the warehouse's process had."""

    def __init__(self, service: Service) -> None:
        super().__init__(daemon=True)
        self.service = service
        self.most = service.pss_bytes()["warehouse"]
        self.stopping = threading.Event()

    def run(self) -> None:
        while not self.stopping.wait(0.05):
            self.most = max(self.most, self.service.pss_bytes()["warehouse"])


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.backup")
    parser.add_argument("--folder", type=Path, help="kept; default: one of its own")
    parser.add_argument("--events", type=int, default=400_000)
    parser.add_argument("--issues", type=int, default=5_000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="errata-bench-") as made:
        folder = chosen.folder or Path(made)
        plan = Plan.of(folder, chosen.events, chosen.issues, 50_000, 1)
        backups = Path(made) / "backups"
        with running("--no-pipelines", directory=folder / "data") as service:
            Making(service, plan).run()
            measured(service, backups, "full")
            measured(service, backups, "nothing_new")
            with sending(service) as sender:
                time.sleep(QUIET_SECONDS)
                quiet = list(sender.milliseconds)
                measured(service, backups, "incremental", events=len(quiet) * EVENTS_A_DELIVERY)
                beside = sender.milliseconds[len(quiet) :]
            told("quiet", quiet)
            told("beside_a_backup", beside)
        timed("verify", "backup", "verify", backups)
        timed("restore", "restore", backups, "--data", Path(made) / "restored")


def measured(service: Service, backups: Path, name: str, **facts: object) -> None:
    before = {path.name for path in backups.iterdir()} if backups.exists() else set()
    cpu, memory = service.cpu_seconds()["warehouse"], service.pss_bytes()["warehouse"]
    peak = Peak(service)
    peak.start()
    timed(name, "backup", backups, "--data", service.directory, "--with-secret", **facts)
    peak.stopping.set()
    peak.join()
    figure(f"backup_{name}_warehouse_cpu", service.cpu_seconds()["warehouse"] - cpu, "s")
    figure(f"backup_{name}_warehouse_memory", (peak.most - memory) / 1e6, "MB", before=round(memory / 1e6))
    (added,) = (path for path in backups.iterdir() if path.is_dir() and path.name not in before)
    files = [path for path in added.rglob("*") if path.is_file()]
    figure(f"backup_{name}_size", sum(path.stat().st_size for path in files) / 1e6, "MB", files=len(files))


def timed(name: str, *arguments: str | Path, **facts: object) -> None:
    """A command in a process of its own."""
    began, before = time.monotonic(), _cpu_of_children()
    done = subprocess.run(
        [sys.executable, "-m", "errata", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    say(done.stdout.strip())
    figure(
        f"backup_{name}_seconds",
        time.monotonic() - began,
        "s",
        command_cpu_s=round(_cpu_of_children() - before, 2),
        **facts,
    )


def told(name: str, milliseconds: list[float]) -> None:
    cuts = quantiles(milliseconds, n=20)
    figure(f"backup_delivery_{name}", cuts[9], "ms", p95=round(cuts[18]), deliveries=len(milliseconds))


@contextmanager
def sending(service: Service) -> Iterator[Sender]:
    sender = Sender(service)
    sender.start()
    try:
        yield sender
    finally:
        sender.stopping.set()
        sender.join()


def _of_now(event: Event, number: int) -> Event:
    sent = changed(event, number % ISSUES)
    return {**sent, "event_id": uuid4().hex, "timestamp": datetime.now(UTC).isoformat()}


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
