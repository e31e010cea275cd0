"""What an honest sender notices of clients that stall, and of deliveries made to cost much.

`--only intake` and `--only web`: 600 connections with stalled or drip-fed requests, opened anew when they are
closed; `--only bombs`: eight deliveries of 64 MiB at a time, of another key and of the sender's own.
"""

import argparse
import itertools
import json
import multiprocessing
import random
import selectors
import socket
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import psutil
import urllib3

from bench.events import captured
from bench.figures import figure
from bench.intake import shipper_alone
from errata.warehouse.roles import Role
from tests.hostile_bodies import bombs
from tests.service import Service, running

Answers = Any
"""By status, as an array shared by processes."""
SECONDS = 300.0
STALLED = 600
PARTS = ("intake", "web", "bombs")
BETWEEN_SECONDS = 0.1
IDLE_PERCENT = 20.0
EVENTS = 20
_POST = b"POST %s HTTP/1.1\r\nHost: localhost\r\n"
STAGES = (
    b"",
    _POST[:9],
    _POST + b"Content-Length: 90000\r\n\r\n",
    _POST + b"Content-Length: 90000\r\n\r\n" + b"{" * 1000,
    _POST + b"Content-Length: 90000\r\n\r\n" + b"{" * 89_000,
    _POST + b"Content-Length: 900000\r\n\r\n" + b"{" * 800_000,
    _POST + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{}",
    _POST + b"Expect: 100-continue\r\nContent-Length: 90000\r\n\r\n",
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.doors")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long the clients stall")
    parser.add_argument("--only", choices=PARTS, help="one part of it")
    chosen = parser.parse_args()
    if chosen.only in (None, "intake"):
        with shipper_alone(intake=True) as (shipper, port):
            measure(
                "intake", Envelopes(port).send, chosen.seconds, stalled(port, b"/api/1/envelope/"), shipper
            )
    if chosen.only in (None, "web", "bombs"):
        with running("--no-pipelines", settings={"ERRATA_API_LINES_PER_MINUTE": "10000000"}) as service:
            web, port = service.processes()["web"][0], int(service.credentials["base_url"].rpartition(":")[2])
            for name in ("web", "bombs", "bombs_of_its_key"):
                if chosen.only is None or name.startswith(chosen.only):
                    sender = Deliveries(service, service.credentials["app_key"])
                    other = service.credentials["app_key"] if name.endswith("key") else other_key(service)
                    heavy = stalled(port, b"/api/auth/sign-in") if name == "web" else bombed(service, other)
                    measure(name, sender.send, chosen.seconds, heavy, web)
                    sender.report_lost(name)


def measure(
    name: str,
    send: Callable[[], float],
    seconds: float,
    heavy: Callable[[Answers], None],
    process: psutil.Process,
) -> None:
    """The honest sender before and among the others."""
    while process.cpu_percent(2.0) > IDLE_PERCENT:
        # It still works on what those of another part sent.
        pass
    alone = _times(send, max(10.0, seconds / 8), [])
    # In a process of their own: they take no time of the sender.
    forking = multiprocessing.get_context("fork")
    answers: Answers = forking.Array("L", 1000)
    others = forking.Process(target=heavy, args=(answers,), daemon=True)
    began, sizes = process.memory_info().rss, list[int]()
    others.start()
    among = _times(send, seconds, sizes, process)
    others.kill()
    others.join()
    figure(
        f"doors_{name}_p95",
        _p95(among) * 1000,
        "ms",
        times=round(_p95(among) / _p95(alone), 2),
        alone=round(_p95(alone) * 1000, 1),
        p50=round(statistics.median(among) * 1000, 1),
        p50_alone=round(statistics.median(alone) * 1000, 1),
        worst=round(max(among) * 1000),
        sent=len(among),
        rss_mb=[round(size / 1e6) for size in (began, sizes[len(sizes) // 2], sizes[-1], max(sizes))],
        answers={status or "reopened": count for status, count in enumerate(answers) if count},
    )


def _times(
    send: Callable[[], float], seconds: float, sizes: list[int], process: psutil.Process | None = None
) -> list[float]:
    send()
    found, until = list[float](), time.monotonic() + seconds
    while time.monotonic() < until:
        found.append(send())
        if process is not None:
            sizes.append(process.memory_info().rss)
        time.sleep(BETWEEN_SECONDS)
    return found


def _p95(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=20, method="inclusive")[18]


class Envelopes:
    """One event at a time, each on a connection of its own."""

    def __init__(self, port: int) -> None:
        self._url = f"http://127.0.0.1:{port}/api/1/envelope/"
        self._bodies = itertools.cycle(list(_bodies()))

    def send(self) -> float:
        body = next(self._bodies)
        headers = {"X-Sentry-Auth": "Sentry sentry_key=errata_app_bench", "Connection": "close"}
        began = time.perf_counter()
        answer = urllib3.request("POST", self._url, body=body, headers=headers, retries=False)
        assert answer.status == 200, answer.data
        return time.perf_counter() - began


def _bodies() -> Iterator[bytes]:
    for payload in captured()[:100]:
        event = json.dumps(payload).encode()
        yield b"{}\n" + json.dumps({"type": "event", "length": len(event)}).encode() + b"\n" + event


class Deliveries:
    """Some events at a time, on connections of their own; each is counted in the end."""

    def __init__(self, service: Service, app_key: str) -> None:
        self._service = service
        self._headers = _headers(service, app_key)
        self._chance = random.Random()
        self._events = captured()[:EVENTS]
        self._ids = set[UUID]()

    def send(self) -> float:
        body, now = b"", datetime.now(UTC).isoformat()
        for payload in self._events:
            number = UUID(int=self._chance.getrandbits(128), version=4)
            told = {**payload, "event_id": number.hex, "timestamp": now}
            body += json.dumps({"type": "event", "logged_at": now, "payload": told}).encode() + b"\n"
            self._ids.add(number)
        began = time.perf_counter()
        answer = _deliver(self._service, body, {**self._headers, "Connection": "close"})
        assert answer.status == 200 and answer.json()["accepted"] == EVENTS, answer.data[:300]
        return time.perf_counter() - began

    def report_lost(self, name: str) -> None:
        warehouse = self._service.warehouse(Role.BUILD)
        found = warehouse.rows("select distinct item_id from errata_raw.error_events")
        warehouse.close()
        lost = self._ids - {UUID(str(row["item_id"])) for row in found}
        figure(f"doors_{name}_lost", len(lost), "events", sent=len(self._ids))


def _headers(service: Service, app_key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {service.credentials['api_key']}", "X-Errata-App-Key": app_key}


def _deliver(service: Service, body: bytes, headers: dict[str, str]) -> urllib3.BaseHTTPResponse:
    address = f"{service.credentials['base_url']}/api/ingest"
    return urllib3.request("POST", address, body=body, headers=headers, retries=False, timeout=300)


def other_key(service: Service) -> str:
    answer = urllib3.request(
        "POST",
        f"{service.credentials['base_url']}/api/projects",
        json={"name": f"Other {time.monotonic_ns()}"},
        headers={"Authorization": f"Bearer {service.credentials['api_key']}"},
    )
    return str(answer.json()["app_key"])


def bombed(service: Service, app_key: str) -> Callable[[Answers], None]:
    bodies = list(bombs())

    headers = {**_headers(service, app_key), "Content-Encoding": "zstd"}

    def run(answers: Answers) -> None:
        def send(body: bytes) -> None:
            status = _deliver(service, body, headers).status
            with answers.get_lock():
                answers[status] += 1

        with ThreadPoolExecutor(len(bodies)) as threads:
            while True:
                list(threads.map(send, bodies))

    return run


def stalled(port: int, path: bytes) -> Callable[[Answers], None]:
    """Every other client sends a byte a second."""

    def run(answers: Answers) -> None:
        selector, clients = selectors.DefaultSelector(), dict[int, socket.socket]()

        def open_one(number: int) -> None:
            client = clients[number] = socket.create_connection(("127.0.0.1", port), 10)
            client.setblocking(False)
            with suppress(BlockingIOError):
                client.send(STAGES[number % len(STAGES)].replace(b"%s", path))
            selector.register(client, selectors.EVENT_READ, number)

        for number in range(STALLED):
            open_one(number)
        fed_at = time.monotonic()
        while True:
            for key, _ in selector.select(0.2):
                if not _is_open(clients[key.data]):
                    selector.unregister(key.fileobj)
                    clients[key.data].close()
                    answers[0] += 1
                    open_one(key.data)
            if time.monotonic() - fed_at > 1:
                fed_at = time.monotonic()
                for client in list(clients.values())[::2]:
                    with suppress(OSError):
                        client.send(b"1")

    return run


def _is_open(client: socket.socket) -> bool:
    try:
        return client.recv(4096) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


if __name__ == "__main__":
    main()
