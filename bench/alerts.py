"""Seconds from the receipt of an event to a channel having the alert, and of trying a rule on history.

`python -m bench.alerts`; `--crowd DIR` is the folder of `python -m bench.crowd`, for the second. `--kills`
ends the web process with SIGKILL, every other time while it sends: what was lost, what was told twice.
"""

import argparse
import json
import os
import random
import statistics
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from uuid import uuid4

import urllib3

from bench.figures import figure
from errata.alerts.backtest import backtest
from errata.alerts.evaluation import Question
from errata.warehouse.client import Warehouse
from errata.warehouse.roles import Role
from tests.service import UP_WITH_QUICK_RESTARTS, Service, running

TRIALS = 16
TOLD_WITHIN_SECONDS = 180
KILLS = 8
# A message that was being sent is held for two minutes, and a duty for one.
CLAIMED_WITHIN_SECONDS = 300
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
    parser.add_argument("--kills", action="store_true")
    chosen = parser.parse_args()
    if chosen.crowd:
        with running(
            "--no-pipelines", "--memory", str(MEMORY_BYTES), directory=chosen.crowd / "data"
        ) as service:
            [largest] = service.warehouse(Role.ADMIN).rows(LARGEST_PROJECT)
            facts = {"events": largest["event_count"]}
            try_on_history(service.warehouse(Role.READ, timeout_seconds=300), largest["project_id"], facts)
        return
    if chosen.kills:
        with running("--no-pipelines", settings=INSIDE, program=UP_WITH_QUICK_RESTARTS) as service:
            _measure_kills(service)
        return
    with running(settings=INSIDE) as service, hooked() as (address, heard):
        _measure_latency(service, address, heard)


def _measure_kills(service: Service) -> None:
    """The receiver has the message and kills the sender before it can note that; or it ends at any moment."""
    chance, told = random.Random(2), list[str]()
    killed_by = {f"Bench{number}Error" for number in range(0, KILLS, 2)}

    def hear(name: str) -> None:
        told.append(name)
        if name in killed_by and told.count(name) == 1:
            service.kill("web")

    with hooked(hear) as (address, heard):
        tell_of_new_issues(service, address)
        for number in range(KILLS):
            deliver_new_issue(service, name := f"Bench{number}Error")
            if name in killed_by:
                _wait_until(lambda name=name: name in heard, TOLD_WITHIN_SECONDS)  # type: ignore[misc]
            else:
                time.sleep(chance.uniform(0, 30))
                service.kill("web")
        began = time.monotonic()
        _wait_until(lambda: _are_noted(service, len(heard)), CLAIMED_WITHIN_SECONDS)
        figure(
            "alerts_lost_over_kills",
            KILLS - len(heard),
            "alerts",
            kills=KILLS,
            kills_while_sending=len(killed_by),
            told_twice=len(told) - len(heard),
            noted_after_seconds=round(time.monotonic() - began),
        )


def _are_noted(service: Service, heard_count: int) -> bool:
    slug = service.credentials["project"]
    listed = json.loads(_request(service, f"/api/projects/{slug}/alert-messages", method="GET"))["messages"]
    return heard_count == KILLS and all(message["status"] == "sent" for message in listed)


def _wait_until(is_so: Callable[[], bool], seconds: float) -> None:
    give_up_at = time.monotonic() + seconds
    while not is_so() and time.monotonic() < give_up_at:
        time.sleep(0.5)


def tell_of_new_issues(service: Service, address: str) -> None:
    channel = _ask(
        service,
        "/api/alert-channels",
        {"kind": "webhook", "name": "Bench", "settings": {"url": address}, "hourly_limit": 1000},
    )
    slug = service.credentials["project"]
    rule = {"name": "Bench", "kind": "new", "channels": [channel["id"]]}
    _ask(service, f"/api/projects/{slug}/alert-rules", rule)


def _measure_latency(service: Service, address: str, heard: dict[str, float]) -> None:
    """Each trial is a new issue, at a moment that has nothing to do with the watch's."""
    tell_of_new_issues(service, address)
    chance, sent_at = random.Random(1), dict[str, float]()
    for number in range(TRIALS):
        time.sleep(chance.uniform(4, 16))
        name = f"Bench{number}Error"
        sent_at[name] = deliver_new_issue(service, name)
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
        load=round(os.getloadavg()[1], 1),
    )


def try_on_history(read: Warehouse, project_id: int, facts: Mapping[str, int]) -> None:
    for name, (kind, condition, query) in QUESTIONS.items():
        began = time.monotonic()
        told = backtest(read, Question(project_id, kind, condition, query, 60))
        figure(f"backtest_{name}", time.monotonic() - began, "s", fired=told.fired_count, **facts)


@contextmanager
def hooked(
    hear: Callable[[str], None] = lambda name: None,
) -> Iterator[tuple[str, dict[str, float]]]:
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
                name = issue["title"].partition(":")[0]
                heard.setdefault(name, time.time())
                hear(name)
            with suppress(ConnectionError):
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


def deliver_new_issue(service: Service, name: str) -> float:
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


def _request(
    service: Service,
    path: str,
    body: bytes = b"",
    headers: Mapping[str, str] | None = None,
    method: str = "POST",
) -> bytes:
    """Asked again while the web process is away."""
    answer = urllib3.request(
        method,
        f"{service.credentials['base_url']}{path}",
        body=body or None,
        timeout=60,
        retries=urllib3.Retry(20, backoff_factor=0.5, backoff_max=5, allowed_methods=None),
        headers={"Authorization": f"Bearer {service.credentials['api_key']}", **(headers or {})},
    )
    if answer.status >= 300:
        raise RuntimeError(f"{answer.status}: {answer.data[:500]!r}")
    return answer.data


if __name__ == "__main__":
    main()
