"""Seconds from the receipt of an event to a channel having the alert, and of trying a rule on history.

`python -m bench.alerts`; `--crowd DIR` is the folder of `python -m bench.crowd`, for the second.
"""

import argparse
import json
import random
import statistics
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from uuid import uuid4

import urllib3

from bench.figures import figure
from bench.service import Service, running
from errata.alerts.backtest import backtest
from errata.alerts.evaluation import Question
from errata.warehouse.client import Warehouse
from errata.warehouse.roles import Role

TRIALS = 16
TOLD_WITHIN_SECONDS = 120
INSIDE = {"ERRATA_OUTGOING_NETWORKS": "127.0.0.0/8", "ERRATA_OUTGOING_HTTP": "true"}
MEMORY_BYTES = 4 << 30
LARGEST_PROJECT = """
    select project_id, count() as event_count
    from errata_raw.error_events
    group by project_id
    order by event_count desc
    limit 1
"""
QUESTIONS: Mapping[str, tuple[str, Mapping[str, Any], str]] = {
    "new": ("new", {}, ""),
    "new_filtered": ("new", {}, "environment:production"),
    "regressed": ("regressed", {}, ""),
    "escalating": ("escalating", {}, ""),
    "events": ("events", {"over": 1000, "window_minutes": 60, "scope": "issue"}, ""),
    "events_filtered": ("events", {"over": 100, "window_minutes": 60, "scope": "issue"}, "level:fatal"),
    "users": ("users", {"over": 500, "window_minutes": 60, "scope": "issue"}, ""),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.alerts")
    parser.add_argument("--crowd", type=Path)
    chosen = parser.parse_args()
    if chosen.crowd:
        with running(
            "--no-pipelines", "--memory", str(MEMORY_BYTES), directory=chosen.crowd / "data"
        ) as service:
            [largest] = service.warehouse(Role.ADMIN).rows(LARGEST_PROJECT)
            facts = {"events": largest["event_count"]}
            try_on_history(service.warehouse(Role.READ, timeout_seconds=300), largest["project_id"], facts)
        return
    with running(settings=INSIDE) as service, hooked() as (address, heard):
        _measure_latency(service, address, heard)


def _measure_latency(service: Service, address: str, heard: dict[str, float]) -> None:
    """Each trial is a new issue, at a moment that has nothing to do with the watch's."""
    channel = _ask(
        service,
        "/api/alert-channels",
        {"kind": "webhook", "name": "Bench", "settings": {"url": address}, "hourly_limit": 1000},
    )
    slug = service.credentials["project"]
    rule = {"name": "Bench", "kind": "new", "channels": [channel["id"]]}
    _ask(service, f"/api/projects/{slug}/alert-rules", rule)
    chance, sent_at = random.Random(1), dict[str, float]()
    for number in range(TRIALS):
        time.sleep(chance.uniform(4, 16))
        name = f"Bench{number}Error"
        sent_at[name] = _deliver(service, name)
    give_up_at = time.monotonic() + TOLD_WITHIN_SECONDS
    while len(heard) < TRIALS and time.monotonic() < give_up_at:
        time.sleep(0.2)
    seconds = [heard[name] - sent_at[name] for name in heard]
    figure(
        "alert_seconds_from_receipt_to_channel",
        statistics.median(seconds),
        "s",
        worst=round(max(seconds), 1),
        least=round(min(seconds), 1),
        trials=len(seconds),
        unheard=TRIALS - len(seconds),
    )


def try_on_history(read: Warehouse, project_id: int, facts: Mapping[str, int]) -> None:
    for name, (kind, condition, query) in QUESTIONS.items():
        began = time.monotonic()
        told = backtest(read, Question(project_id, kind, condition, query, 60))
        figure(f"backtest_{name}", time.monotonic() - began, "s", fired=told.fired_count, **facts)


@contextmanager
def hooked() -> Iterator[tuple[str, dict[str, float]]]:
    """A server that notes when it first heard of an issue, by the type of its exception."""
    heard: dict[str, float] = {}

    class Handler(BaseHTTPRequestHandler):
        def __getattr__(self, name: str) -> Any:
            if name == "do_POST":
                return self._hear
            raise AttributeError(name)

        def _hear(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            for issue in body["data"]["issues"]:
                heard.setdefault(issue["title"].partition(":")[0], time.time())
            self.send_response(204)
            self.end_headers()

        def log_request(self, *_said: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", heard
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _deliver(service: Service, name: str) -> float:
    """When the API answered that it has the event."""
    now = datetime.now(UTC).isoformat()
    error = {"type": name, "value": "bench", "stacktrace": {"frames": [{"function": name, "module": name}]}}
    payload = {"event_id": uuid4().hex, "timestamp": now, "exception": {"values": [error]}}
    line = json.dumps({"type": "event", "logged_at": now, "payload": payload}).encode()
    _request(service, "/api/ingest", line, {"X-Errata-App-Key": service.credentials["app_key"]})
    return time.time()


def _ask(service: Service, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        _request(service, path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    )
    return found


def _request(service: Service, path: str, body: bytes, headers: Mapping[str, str]) -> bytes:
    answer = urllib3.request(
        "POST",
        f"{service.credentials['base_url']}{path}",
        body=body,
        timeout=60,
        headers={"Authorization": f"Bearer {service.credentials['api_key']}", **headers},
    )
    if answer.status >= 300:
        raise RuntimeError(f"{answer.status}: {answer.data[:500]!r}")
    return answer.data


if __name__ == "__main__":
    main()
