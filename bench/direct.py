"""What an event costs by DSN, and by intake and shipper: one event an envelope, CPU of all processes.

The two ways alternate in rounds within one run. `python -m bench.direct [--events N] [--rounds N]`.
"""

import argparse
import gzip
import http.client
import json
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import psutil

from bench.events import captured
from bench.figures import figure
from errata.warehouse.roles import Role
from tests.flow.faults.host import Host
from tests.ports import free_port, wait_for
from tests.service import Service, running

EVENTS = 1_000
ROUNDS = 3
CLIENTS = 8
SETTLED_WITHIN_SECONDS = 120


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.direct")
    parser.add_argument("--events", type=int, default=EVENTS, help="by each way in each round")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    chosen = parser.parse_args()
    with running("--no-pipelines") as service, tempfile.TemporaryDirectory() as made:
        credentials = service.credentials
        port = free_port()
        logs = Path(made) / "logs"
        logs.mkdir()
        keys = {name: credentials[key] for name, key in (("apiKey", "api_key"), ("appKey", "app_key"))}
        listen = {"listen": f"127.0.0.1:{port}", "rateLimit": 1_000_000}
        more = {"baseUrl": credentials["base_url"], "flushInterval": "1s", "intake": listen}
        host = Host(Path(made), logs, {**keys, **more})
        host.start()
        wait_for(port)
        shipper = psutil.Process(host.process.pid)
        number = credentials["dsn"].rpartition("/")[2]
        ways = {
            "dsn": (urlsplit(credentials["base_url"]).port or 80, f"/api/{number}/envelope/"),
            "intake": (port, "/api/1/envelope/"),
        }
        spent = {name: list[float]() for name in ways}
        waits = {name: list[float]() for name in ways}
        stored = 0
        for name, (to, path) in ways.items():
            _send(to, path, credentials["app_key"], _bodies(200), waits[name])
            stored = _settled(service, stored + 200)
            waits[name].clear()
        for _ in range(chosen.rounds):
            for name, (to, path) in ways.items():
                bodies = _bodies(chosen.events)
                before = _cpu(service, shipper)
                _send(to, path, credentials["app_key"], bodies, waits[name])
                stored = _settled(service, stored + chosen.events)
                spent[name].append((_cpu(service, shipper) - before) / chosen.events * 1000)
        host.end()
    for name, each in spent.items():
        waited = sorted(waits[name])
        figure(
            f"direct_cpu_by_{name}",
            min(each),
            "ms an event",
            worst=round(max(each), 3),
            p50_ms=round(waited[len(waited) // 2] * 1000, 1),
            p99_ms=round(waited[len(waited) * 99 // 100] * 1000, 1),
        )
    figure("direct_ratio", min(spent["dsn"]) / min(spent["intake"]), "times the CPU of intake and shipper")


def _send(port: int, path: str, key: str, bodies: Sequence[bytes], waits: list[float]) -> None:
    def client(own: Sequence[bytes]) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        headers = {"Content-Encoding": "gzip", "X-Sentry-Auth": f"Sentry sentry_key={key}"}
        for body in own:
            started = time.perf_counter()
            connection.request("POST", path, body, headers)
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 200, answer.status
            waits.append(time.perf_counter() - started)
        connection.close()

    threads = [threading.Thread(target=client, args=(bodies[start::CLIENTS],)) for start in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _bodies(count: int) -> list[bytes]:
    originals = captured()
    made = []
    for number in range(count):
        payload = {**originals[number % len(originals)], "event_id": uuid4().hex, "timestamp": time.time()}
        event = json.dumps(payload).encode()
        item = json.dumps({"type": "event", "length": len(event)}).encode()
        made.append(gzip.compress(b"{}\n" + item + b"\n" + event))
    return made


def _settled(service: Service, wanted: int) -> int:
    """Waits until so many events are stored."""
    warehouse = service.warehouse(Role.ADMIN)
    until = time.monotonic() + SETTLED_WITHIN_SECONDS
    count = 0
    while count < wanted and time.monotonic() < until:
        time.sleep(0.5)
        count = int(warehouse.rows("select count() as n from errata_raw.error_events")[0]["n"])
    warehouse.close()
    return count


def _cpu(service: Service, shipper: psutil.Process) -> float:
    times = shipper.cpu_times()
    return sum(service.cpu_seconds().values()) + times.user + times.system


if __name__ == "__main__":
    main()
