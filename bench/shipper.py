"""What delivery costs the host: the shipper beside plain compression and beside syslog-ng, on one file."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import urllib3

from bench.events import captured, repeated
from bench.figures import figure
from tests.service import ROOT

FILE_NAME = "errata-2026-11-20.log"
FILE_BYTES = 1 << 30
DISTINCT_BYTES = 128 << 20
BACKLOG_BYTES = 5 << 30
BACKLOG_FILES = 5
BACKLOG_SECONDS = 20.0
ACKNOWLEDGED_WITHIN_SECONDS = 600
GIB = 1 << 30
_ID = re.compile(rb"(?<=\")(?:[0-9a-f]{32}|[0-9a-f]{16})(?=\")")


# Starts a sender of the log files in a folder to a server.
Start = Callable[[Path, str], "subprocess.Popen[bytes]"]


@dataclass(frozen=True)
class Input:
    name: str
    path: Path
    line_count: int

    @property
    def size(self) -> int:
        return self.path.stat().st_size


@dataclass(frozen=True)
class Cost:
    cpu_seconds: float
    wall_seconds: float


@dataclass(frozen=True)
class Sent(Cost):
    peak_rss_bytes: int
    sent_bytes: int


@dataclass(frozen=True)
class NullServer:
    base_url: str

    def seen(self) -> dict[str, int]:
        answer: dict[str, int] = urllib3.request("GET", f"{self.base_url}/api/auth/verify").json()
        return answer


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="errata-bench-") as made:
        folder = Path(made)
        for given in (_errors(folder), _transactions(folder)):
            _compare(given, folder)
        _backlog(folder)


def _compare(given: Input, folder: Path) -> None:
    alone = {
        "gzip_1": _cost_of_command(["gzip", "-1", "-c", str(given.path)]),
        "zstd_3": _cost_of_command(["zstd", "-3", "-q", "-c", "--single-thread", str(given.path)]),
    }
    for name, cost in alone.items():
        _figures(name, cost, given)
    senders: dict[str, Start] = {
        "shipper": _shipper,
        "shipper_uncompressed": lambda path, base_url: _shipper(path, base_url, compress=False),
        "syslog_ng_uncompressed": _syslog_ng,
    }
    if shutil.which("syslog-ng") is None:
        sys.stderr.write("syslog-ng is not installed: not compared (Debian: syslog-ng-mod-http)\n")
        del senders["syslog_ng_uncompressed"]
    for sender, start in senders.items():
        sent = _deliver(start, given, folder)
        ratios = {
            f"ratio_to_{name}": round(sent.cpu_seconds / cost.cpu_seconds, 2) for name, cost in alone.items()
        }
        facts = {"sent_bytes": sent.sent_bytes, "peak_rss_mb": round(sent.peak_rss_bytes / 1e6, 1)}
        _figures(sender, sent, given, **facts, **ratios)


def _figures(name: str, cost: Cost, given: Input, **facts: object) -> None:
    figure(
        f"{name}_cpu_per_gb",
        cost.cpu_seconds / given.size * GIB,
        "CPU-s/GiB",
        input=given.name,
        mb_per_second=round(given.size / 1e6 / cost.wall_seconds, 1),
        **facts,
    )


def _errors(folder: Path) -> Input:
    """Error events of 24 KB with local variables, as errata-sdk writes them."""
    return _tiled(folder, "errors_24kb", repeated(DISTINCT_BYTES // 24_000))


def _transactions(folder: Path) -> Input:
    """Transactions of 6 KB, each with ids of its own."""
    chance = random.Random(1)
    lines = [
        json.dumps({"type": "transaction", "payload": item}, separators=(",", ":")).encode() + b"\n"
        for item in captured("python_transactions.jsonl.gz")
    ]
    repeats = DISTINCT_BYTES // sum(map(len, lines))
    return _tiled(folder, "transactions_6kb", (_with_other_ids(line, chance) for line in lines * repeats))


def _with_other_ids(line: bytes, chance: random.Random) -> bytes:
    """Trace and event ids have 32 digits, span ids 16."""
    return _ID.sub(lambda match: b"%0*x" % (len(match[0]), chance.getrandbits(4 * len(match[0]))), line)


def _tiled(folder: Path, name: str, lines: Iterator[bytes]) -> Input:
    content = b"".join(lines)
    path = folder / f"{name}.log"
    count = -(-FILE_BYTES // len(content))
    with path.open("wb") as file:
        for _ in range(count):
            file.write(content)
    return Input(name, path, content.count(b"\n") * count)


def _cost_of_command(command: Sequence[str]) -> Cost:
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    return ended(process, began)


def ended(process: "subprocess.Popen[bytes]", began: float) -> Cost:
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Cost(usage.ru_utime + usage.ru_stime, time.monotonic() - began)


@contextmanager
def null_server(*seconds: float) -> Iterator[NullServer]:
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.null_server", *map(str, seconds)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert process.stdout is not None
    try:
        yield NullServer(f"http://127.0.0.1:{int(process.stdout.readline())}")
    finally:
        process.terminate()
        process.wait()


def _deliver(start: Start, given: Input, folder: Path) -> Sent:
    """What it costs until the server has acknowledged every line, start and stop included; bytes sent."""
    storage_path = Path(tempfile.mkdtemp(dir=folder))
    (storage_path / FILE_NAME).hardlink_to(given.path)
    with null_server() as server:
        began = time.monotonic()
        process = start(storage_path, server.base_url)
        while server.seen()["lines"] < given.line_count:
            if process.poll() is not None or time.monotonic() - began > ACKNOWLEDGED_WITHIN_SECONDS:
                raise RuntimeError(f"{process.args!r} delivered {server.seen()} of {given.line_count} lines")
            time.sleep(0.05)
        wall_seconds = time.monotonic() - began
        peak = peak_rss_bytes(process.pid)
        process.send_signal(signal.SIGTERM)
        return Sent(ended(process, began).cpu_seconds, wall_seconds, peak, server.seen()["body_bytes"])


def _shipper(storage_path: Path, base_url: str, compress: bool = True) -> "subprocess.Popen[bytes]":
    return started(storage_path, base_url, compress=compress)


def started(storage_path: Path, base_url: str, **fields: object) -> "subprocess.Popen[bytes]":
    config = storage_path / "errata.yaml"
    config.touch(0o600)
    settings = {
        "apiKey": "errata_api_bench",
        "appKey": "errata_app_bench",
        "baseUrl": base_url,
        "storagePath": str(storage_path),
        "flushInterval": "1s",
        **fields,
    }
    config.write_text(json.dumps({"errata": settings}))
    path = os.pathsep.join(str(ROOT / part) for part in (".", "shipper", "wire"))
    return subprocess.Popen(
        [sys.executable, "-m", "errata_shipper", "--config", str(config), "--record"],
        env={**os.environ, "PYTHONPATH": path},
        stderr=subprocess.DEVNULL,
    )


def _syslog_ng(storage_path: Path, base_url: str) -> "subprocess.Popen[bytes]":
    """Debian's, with its HTTP module; batches as the shipper's, and nothing else done to the lines."""
    config = storage_path / "syslog-ng.conf"
    source = f'file("{storage_path / FILE_NAME}" read-old-records(yes) flags(no-parse))'
    config.write_text(f"""
@version: 3.35
options {{ log-msg-size(4194304); stats-freq(0); }};
source logs {{ {source}; }};
destination server {{
    http(
        url("{base_url}/api/ingest") method("POST") body("${{MESSAGE}}") delimiter("\\n")
        batch-lines(100) batch-bytes(8388608) batch-timeout(1000)
    );
}};
log {{ source(logs); destination(server); flags(flow-control); }};
""")
    names = {"-f": config.name, "-R": "state", "-p": "pid", "-c": "control"}
    options = [part for name, value in names.items() for part in (name, str(storage_path / value))]
    return subprocess.Popen(["syslog-ng", "-F", "--no-caps", *options], stderr=subprocess.DEVNULL)


def _backlog(folder: Path) -> None:
    """Memory while the server is away, then while the backlog is delivered to it."""
    storage_path = Path(tempfile.mkdtemp(dir=folder))
    content = b"".join(repeated(DISTINCT_BYTES // 24_000))
    for number in range(BACKLOG_FILES):
        with (storage_path / f"errata-2026-11-{10 + number}.log").open("wb") as file:
            for _ in range(-(-BACKLOG_BYTES // BACKLOG_FILES // len(content))):
                file.write(content)
    undelivered = sum(path.stat().st_size for path in storage_path.glob("*.log"))
    for name, base_url in (("away", "http://127.0.0.1:9"), ("delivering", None)):
        with null_server() as server:
            process = _shipper(storage_path, base_url or server.base_url)
            time.sleep(BACKLOG_SECONDS)
            sent = server.seen()["body_bytes"]
            peak = peak_rss_bytes(process.pid)
            process.kill()
            process.wait()
        figure(f"shipper_rss_server_{name}", peak / 1e6, "MB", undelivered_bytes=undelivered, sent_bytes=sent)


def peak_rss_bytes(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"no VmHWM of process {pid}")


if __name__ == "__main__":
    main()
