"""What the SDK costs the application: beside the Sentry SDK alone, and beside its own HTTP transport.

Every case runs in a process of its own, in turns; figures are the median of the turns.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import errata_sdk
import sentry_sdk
from errata_sdk.log_file import LogFile
from sentry_sdk.transport import Transport

from bench.figures import figure

TURNS = 3
EVENTS = 200
VARIANTS = ("sentry alone", "errata", "sentry over HTTP")
THREADS = 8
PROCESSES = 4
LINES = 4_000
LINE_BYTES = 24 << 10
LOOP_EVENTS = 500


def main() -> None:
    if sys.argv[1:2] == ["--case"]:
        CASES[sys.argv[2]](*sys.argv[3:])
        return
    with null_server() as address:
        for kind in KINDS:
            _overhead(kind, address)
    _writing()
    _event_loop()


def _overhead(kind: str, address: str) -> None:
    turns = [{variant: _run("capture", kind, variant, address) for variant in VARIANTS} for _ in range(TURNS)]
    for variant in VARIANTS:
        measured = {
            name: statistics.median(turn[variant][name] for turn in turns)
            for name in turns[0][variant]
            if name != "cpu_us"
        }
        figure(
            f"sdk_{kind}_cpu",
            statistics.median(turn[variant]["cpu_us"] for turn in turns),
            "µs per event",
            variant=variant,
            over_sentry_alone=round(_ratio(turns, variant, "sentry alone"), 3),
            over_http=round(_ratio(turns, variant, "sentry over HTTP"), 3),
            **{name: round(value, 1) for name, value in measured.items()},
        )


def _ratio(turns: Sequence[dict[str, dict[str, float]]], variant: str, other: str) -> float:
    return statistics.median(turn[variant]["cpu_us"] / turn[other]["cpu_us"] for turn in turns)


def _writing() -> None:
    for threads, processes in ((1, 1), (THREADS, 1), (1, PROCESSES), (THREADS, PROCESSES)):
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            writers = [_start("append", folder, str(threads)) for _ in range(processes)]
            results = [_result(writer) for writer in writers]
            seconds = time.perf_counter() - began
            (file,) = Path(folder).iterdir()
            content = file.read_bytes()
        if content.count(b"\n") != LINES * processes or {*map(len, content.split(b"\n"))} != {
            LINE_BYTES - 1,
            0,
        }:
            raise RuntimeError("lines are missing or torn")
        figure(
            "sdk_lines_into_one_file",
            LINES * processes / max(result["seconds"] for result in results),
            "lines per second",
            threads=threads,
            processes=processes,
            line_bytes=LINE_BYTES,
            p50_us=round(statistics.median(result["p50_us"] for result in results), 1),
            p99_us=round(max(result["p99_us"] for result in results), 1),
            seconds_with_start=round(seconds, 2),
        )


def _event_loop() -> None:
    for variant in VARIANTS[:2]:
        result = _run("loop", variant)
        figure(
            "sdk_event_loop_held_by_a_capture_p99",
            result["p99_us"],
            "µs",
            variant=variant,
            **{name: round(value, 1) for name, value in result.items() if name != "p99_us"},
        )


def _start(case: str, *arguments: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "bench.sdk", "--case", case, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def _result(process: "subprocess.Popen[bytes]") -> dict[str, float]:
    output = process.communicate()[0]
    if process.returncode:
        raise RuntimeError(f"a case ended with {process.returncode}")
    return dict(json.loads(output))


def _run(case: str, *arguments: str) -> dict[str, float]:
    return _result(_start(case, *arguments))


@contextmanager
def null_server() -> Iterator[str]:
    """Takes everything; in a process of its own, so that its work is nobody's cost."""
    process = _start("serve")
    assert process.stdout is not None
    try:
        yield process.stdout.readline().decode().strip()
    finally:
        process.terminate()
        process.wait()


class _Null(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class's name)
        pass


def serve() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Null)
    print(f"http://key@127.0.0.1:{server.server_address[1]}/1", flush=True)
    server.serve_forever()


class _NoTransport(Transport):
    def capture_envelope(self, envelope: Any) -> None:
        pass


def start(variant: str, address: str, folder: str) -> None:
    options: dict[str, Any] = {"traces_sample_rate": 1.0, "release": "shop@1.4.0"}
    if variant == "errata":
        errata_sdk.init("errata_app_bench", folder, **options)
    elif variant == "sentry alone":
        sentry_sdk.init(dsn="https://key@sentry.invalid/1", transport=_NoTransport(), **options)
    else:
        # Long enough that none is dropped: a dropped event costs nothing.
        sentry_sdk.init(dsn=address, transport_queue_size=1 << 20, **options)


def capture(kind: str, variant: str, address: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        start(variant, address, folder)
        for _ in range(50):
            KINDS[kind]()
        sentry_sdk.flush(timeout=60)
        cpu, wall = time.process_time(), time.perf_counter()
        for _ in range(EVENTS):
            KINDS[kind]()
        captured = time.perf_counter() - wall
        sentry_sdk.flush(timeout=60)
        spent = time.process_time() - cpu
        written = sum(path.stat().st_size for path in Path(folder).iterdir()) / (EVENTS + 50)
        result = {
            "cpu_us": spent / EVENTS * 1e6,
            "wall_us": captured / EVENTS * 1e6,
            "written_bytes": written,
            "resident_mb": _resident_bytes() / 1e6,
        }
        print(json.dumps(result))


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def checkout(order: dict[str, Any], depth: int) -> None:
    total = sum(line["price"] * line["quantity"] for line in order["lines"])
    customer, note = order["customer"], f"order of {total:.2f} at depth {depth}"
    if depth == 0:
        raise KeyError(customer["address"]["zip"], note)
    checkout(order, depth - 1)


ORDER = {
    "customer": {"id": 7, "email": "ada@example.com", "password": "x" * 12, "address": {"zip": "10115"}},
    "lines": [{"sku": f"sku-{n}", "price": 9.5 + n, "quantity": n, "title": "A thing"} for n in range(8)],
    "url": "https://shop.example/checkout?token=abc&step=2",
}


def an_exception() -> None:
    sentry_sdk.add_breadcrumb(category="ui", message="clicked pay")
    try:
        checkout(ORDER, 12)
    except KeyError:
        sentry_sdk.capture_exception()


def a_message() -> None:
    sentry_sdk.capture_message("the cache was cold")


def a_transaction() -> None:
    with sentry_sdk.start_transaction(op="http.server", name="GET /products/{id}"):
        for number in range(10):
            with sentry_sdk.start_span(op="db", name=f"select * from products where id = {number}") as span:
                span.set_data("db.system", "postgresql")


KINDS: dict[str, Callable[[], None]] = {
    "exception": an_exception,
    "message": a_message,
    "transaction": a_transaction,
}


def append(folder: str, threads: str) -> None:
    log_file = LogFile(Path(folder))
    line = b"x" * (LINE_BYTES - 1) + b"\n"
    times: list[float] = []

    def write() -> None:
        for _ in range(LINES // int(threads)):
            began = time.perf_counter()
            log_file.append(line)
            times.append(time.perf_counter() - began)

    writers = [threading.Thread(target=write) for _ in range(int(threads))]
    began = time.perf_counter()
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    print(json.dumps({"seconds": time.perf_counter() - began, **_percentiles(times)}))


def loop(variant: str) -> None:
    times: list[float] = []

    async def serve_requests() -> None:
        for _ in range(LOOP_EVENTS):
            began = time.perf_counter()
            an_exception()
            times.append(time.perf_counter() - began)
            await asyncio.sleep(0.001)

    with tempfile.TemporaryDirectory() as folder:
        start(variant, "", folder)
        an_exception()
        asyncio.run(serve_requests())
    print(json.dumps(_percentiles(times)))


def _percentiles(seconds: Sequence[float]) -> dict[str, float]:
    cuts = statistics.quantiles(seconds, n=100)
    return {"p50_us": cuts[49] * 1e6, "p99_us": cuts[98] * 1e6, "max_us": max(seconds) * 1e6}


CASES: dict[str, Callable[..., None]] = {"capture": capture, "append": append, "loop": loop, "serve": serve}


if __name__ == "__main__":
    main()
