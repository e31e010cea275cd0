"""What the shipper costs a host where nothing happens, and how soon it notices when something does."""

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import urllib3
from errata_shipper.checkpoint import Checkpoint
from errata_shipper.tracker import Tracker

from bench.figures import figure
from tests.service import ROOT

FILE_COUNT = 1000
LINES_A_FILE = 20
IDLE_SECONDS = 60.0
BUSY_SECONDS = 20.0
BUSY_WRITES_A_SECOND = 200
# Until the first looks and the verification of the key are over.
SETTLING_SECONDS = 5.0
NOTICED_TRIES = 40
TRACKED_FILES = 5000
LINE = b'{"type": "log", "logged_at": "2026-11-21T10:00:00.000Z", "payload": {"n": %d}}\n'
TODAY = "errata-2026-11-21.log"

# The same command with and without inotify.
MODES = {
    "inotify": "",
    "polling": "import errata_shipper.watch as watch; watch.IS_AVAILABLE = False; ",
}


def main() -> None:
    for mode in MODES:
        with tempfile.TemporaryDirectory(prefix="errata-bench-") as made, _null_server() as base_url:
            folder = Path(made)
            _fill(folder / "logs")
            _idle(mode, folder, base_url)
            _noticed(mode, folder, base_url)
    with tempfile.TemporaryDirectory(prefix="errata-bench-") as made:
        _saved(Path(made))


def _idle(mode: str, folder: Path, base_url: str) -> None:
    with _shipper(mode, folder, base_url, flush_interval="10s") as process:
        _wait_for(base_url, FILE_COUNT * LINES_A_FILE)
        time.sleep(SETTLING_SECONDS)
        share = _cpu_share(process, IDLE_SECONDS)
        figure("idle_cpu", share * 100, "%", mode=mode, files=FILE_COUNT, seconds=IDLE_SECONDS)


def _noticed(mode: str, folder: Path, base_url: str) -> None:
    chance = random.Random(1)
    seen = _seen(base_url)
    with _shipper(mode, folder, base_url, flush_interval="50ms") as process:
        time.sleep(SETTLING_SECONDS)
        waited_ms = []
        for number in range(NOTICED_TRIES):
            time.sleep(chance.uniform(0.2, 0.7))
            _write(folder, number)
            started = time.perf_counter()
            seen += 1
            _wait_for(base_url, seen)
            waited_ms.append((time.perf_counter() - started) * 1e3)
        waited_ms.sort()
        figure(
            "write_to_server_p50",
            waited_ms[len(waited_ms) // 2],
            "ms",
            mode=mode,
            flush_interval_ms=50,
            worst_ms=round(waited_ms[-1], 1),
            files=FILE_COUNT,
        )
    with _shipper(mode, folder, base_url, flush_interval="10s") as process:
        time.sleep(SETTLING_SECONDS)
        writer = subprocess.Popen([sys.executable, "-m", "bench.idle", "write", str(folder)], cwd=ROOT)
        share = _cpu_share(process, BUSY_SECONDS)
        writer.wait()
        facts = {"writes_per_second": BUSY_WRITES_A_SECOND, "files": FILE_COUNT}
        figure("busy_cpu", share * 100, "%", mode=mode, **facts)


def _saved(folder: Path) -> None:
    tracker = Tracker(folder)
    for inode in range(TRACKED_FILES):
        tracker.keep(_checkpoint(inode, 100_000))
    tracker.save(datetime.now(UTC))
    started = time.process_time()
    for offset in range(100):
        tracker.keep(_checkpoint(7, offset + 4096))
        tracker.save(datetime.now(UTC))
    cpu_ms = (time.process_time() - started) * 10
    size = tracker.path.stat().st_size
    figure("tracker_save_cpu", cpu_ms, "ms", files=TRACKED_FILES, tracker_bytes=size)


def _checkpoint(inode: int, offset: int) -> Checkpoint:
    name = f"errata-2026-11-20.log.{inode}"
    hashed = "0123456789abcdef" * 2
    return Checkpoint(name, 1, inode, offset, 1024, hashed, 1024, hashed, None, hashed[:16], offset, inode)


def _fill(logs: Path) -> None:
    logs.mkdir()
    for number in range(FILE_COUNT - 1):
        (logs / f"errata-2026-10-{number % 30 + 1:02}.log.{number}").write_bytes(LINE % number * LINES_A_FILE)
    (logs / TODAY).write_bytes(LINE % 0 * LINES_A_FILE)


def _write(folder: Path, number: int) -> None:
    with (folder / "logs" / TODAY).open("ab") as file:
        file.write(LINE % number)


@contextmanager
def _shipper(
    mode: str, folder: Path, base_url: str, flush_interval: str
) -> Iterator["subprocess.Popen[bytes]"]:
    config = folder / "errata.yaml"
    config.write_text(
        "errata:\n  apiKey: errata_api_0123456789abcdef\n  appKey: errata_app_0123456789abcdef\n"
        f"  storagePath: {folder / 'logs'}\n  baseUrl: {base_url}\n  flushInterval: {flush_interval}\n"
        "  batchSize: 1000\n  logLevel: warn\n"
    )
    config.chmod(0o600)
    code = f"{MODES[mode]}import sys; from errata_shipper.__main__ import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "--config", str(config), "--record"]
    process = subprocess.Popen(command, cwd=ROOT)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(20)


@contextmanager
def _null_server() -> Iterator[str]:
    command = [sys.executable, "-m", "bench.null_server"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.terminate()


def _seen(base_url: str) -> int:
    lines: int = urllib3.request("GET", f"{base_url}/api/auth/verify").json()["lines"]
    return lines


def _wait_for(base_url: str, line_count: int) -> None:
    while _seen(base_url) < line_count:
        time.sleep(0.002)


def _cpu_share(process: "subprocess.Popen[bytes]", seconds: float) -> float:
    started, before = time.monotonic(), _cpu_ns(process.pid)
    time.sleep(seconds)
    return (_cpu_ns(process.pid) - before) / 1e9 / (time.monotonic() - started)


def _cpu_ns(pid: int) -> int:
    """To the nanosecond; /proc/<pid>/stat counts in hundredths of a second."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks)


def _write_steadily(folder: Path) -> None:
    until = time.monotonic() + BUSY_SECONDS
    number = 0
    while time.monotonic() < until:
        _write(folder, number)
        number += 1
        time.sleep(1 / BUSY_WRITES_A_SECOND)


if __name__ == "__main__":
    if sys.argv[1:2] == ["write"]:
        os.nice(5)
        _write_steadily(Path(sys.argv[2]))
    else:
        main()
