"""What the intake costs: requests a second, processor time and memory, also under clients that hang."""

import gzip
import http.client
import json
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from bench.events import captured
from bench.figures import figure
from tests.flow.faults.host import Host
from tests.ports import free_port, wait_for

REQUESTS = 3000
CLIENTS = 50
HANGING = 700
_HEAD = b"POST /api/1/envelope/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n"


def main() -> None:
    bodies = list(_bodies())
    plain_bytes = sum(len(gzip.decompress(body)) for body in bodies) / len(bodies)
    with shipper_alone(intake=False) as (idle, _):
        without = _memory(idle)
    with shipper_alone(intake=True) as (shipper, port):
        figure("intake_memory_idle", (_memory(shipper) - without) / 1e6, "MB", shipper_alone=without / 1e6)
        for clients in (1, CLIENTS):
            _measure(shipper, port, bodies, clients, plain_bytes)
        figure("intake_memory_after", _memory(shipper) / 1e6, "MB", requests=2 * REQUESTS)
        _measure_among_hanging(shipper, port, bodies)


def _measure(shipper: psutil.Process, port: int, bodies: list[bytes], clients: int, plain: float) -> None:
    waits: list[float] = []
    threads = [
        threading.Thread(target=_send, args=(port, bodies, REQUESTS // clients, waits))
        for _ in range(clients)
    ]
    cpu, started = sum(shipper.cpu_times()[:2]), time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - started
    cpu_ms = (sum(shipper.cpu_times()[:2]) - cpu) * 1000 / len(waits)
    waits.sort()
    figure(
        "intake_requests",
        len(waits) / seconds,
        "1/s",
        clients=clients,
        cpu_ms_each=round(cpu_ms, 3),
        p50_ms=round(waits[len(waits) // 2] * 1000, 2),
        p99_ms=round(waits[len(waits) * 99 // 100] * 1000, 2),
        event_bytes=round(plain),
    )


def _measure_among_hanging(shipper: psutil.Process, port: int, bodies: list[bytes]) -> None:
    hanging = [socket.create_connection(("127.0.0.1", port)) for _ in range(HANGING)]
    for number, client in enumerate(hanging):
        client.sendall(_HEAD[: number % len(_HEAD)])
    waits: list[float] = []
    _send(port, bodies, 200, waits)
    figure(
        "intake_slowest_among_hanging",
        max(waits) * 1000,
        "ms",
        hanging=len(hanging),
        memory=_memory(shipper) / 1e6,
    )
    for client in hanging:
        client.close()


def _send(port: int, bodies: list[bytes], count: int, waits: list[float]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    headers = {"Content-Encoding": "gzip", "X-Sentry-Auth": "Sentry sentry_key=errata_app_bench"}
    for number in range(count):
        started = time.perf_counter()
        connection.request("POST", "/api/1/envelope/", bodies[number % len(bodies)], headers)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200, answer.status
        waits.append(time.perf_counter() - started)
    connection.close()


def _bodies() -> Iterator[bytes]:
    for payload in captured()[:100]:
        event = json.dumps(payload).encode()
        item = json.dumps({"type": "event", "length": len(event)}).encode()
        yield gzip.compress(b"{}\n" + item + b"\n" + event)


def _memory(process: psutil.Process) -> float:
    return float(process.memory_info().rss)


@contextmanager
def shipper_alone(intake: bool) -> Iterator[tuple[psutil.Process, int]]:
    """Its server is away: what is measured is the taking alone."""
    with tempfile.TemporaryDirectory(prefix="errata-bench-") as made:
        port = free_port()
        logs = Path(made) / "logs"
        logs.mkdir()
        fields = {"apiKey": "errata_api_x", "appKey": "errata_app_x", "baseUrl": "http://127.0.0.1:9"}
        listen = {"intake": {"listen": f"127.0.0.1:{port}", "rateLimit": 1_000_000}} if intake else {}
        host = Host(Path(made), logs, {**fields, **listen})
        host.start()
        try:
            if intake:
                wait_for(port)
            time.sleep(2)
            yield (
                next(child for child in psutil.Process().children() if "errata_shipper" in child.cmdline()),
                port,
            )
        finally:
            host.end()


if __name__ == "__main__":
    main()
