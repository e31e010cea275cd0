"""Hosts that deliver recordings at the same time, and one with ordinary events of another project."""

import gzip
import json
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import urllib3
from urllib3.exceptions import HTTPError

from tests.captured_replays import recording_line
from tests.large_recordings import large_events, large_recording
from tests.service import Service

GIVE_UP_SECONDS = 300
RETRIED = (429, 503)


@dataclass
class Sent:
    """`seconds` until the service had stored it, `tries` of them; `answer` is the last one."""

    seconds: float
    tries: int
    status: int
    answer: dict[str, Any]


@dataclass
class Host:
    """Delivers as a shipper does: the same again after a refusal for now."""

    service: Service
    app_key: str
    pool: urllib3.PoolManager = field(default_factory=lambda: urllib3.PoolManager(retries=False))

    def deliver(self, lines: Sequence[bytes]) -> Sent:
        body = gzip.compress(b"\n".join(lines), 1)
        headers = {
            "Authorization": f"Bearer {self.service.credentials['api_key']}",
            "X-Errata-App-Key": self.app_key,
            "Content-Encoding": "gzip",
        }
        began, tries = time.monotonic(), 0
        while True:
            tries += 1
            wait_seconds, answer = 1.0, None
            try:
                answer = self.pool.request("POST", self.address, body=body, headers=headers, timeout=120)
                wait_seconds = float(answer.headers.get("Retry-After", 1))
            except HTTPError:
                # A connection that the service closed just when it was used again.
                if time.monotonic() - began > GIVE_UP_SECONDS:
                    raise
            seconds = time.monotonic() - began
            if answer is not None and (answer.status not in RETRIED or seconds > GIVE_UP_SECONDS):
                return Sent(seconds, tries, answer.status, answer.json())
            time.sleep(wait_seconds)

    @property
    def address(self) -> str:
        return f"{self.service.credentials['base_url']}/api/ingest"


def another_project(service: Service) -> str:
    """The application key of a new project."""
    credentials, pool = service.credentials, urllib3.PoolManager()
    address = credentials["base_url"]
    account = {"email": credentials["email"], "password": credentials["password"]}
    signed_in = pool.request("POST", f"{address}/api/auth/sign-in", json=account)
    headers = {
        "Cookie": signed_in.headers["Set-Cookie"].partition(";")[0],
        "X-CSRF-Token": signed_in.json()["csrf_token"],
    }
    made = pool.request("POST", f"{address}/api/projects", json={"name": "Orders"}, headers=headers)
    assert made.status == 201, made.data
    return str(made.json()["app_key"])


def event_line(message: str) -> bytes:
    payload = {"event_id": uuid4().hex, "message": message, "timestamp": datetime.now(UTC).isoformat()}
    return json.dumps({"type": "event", "payload": payload}).encode()


def recordings_at_once(
    service: Service, app_key: str, senders: int, inflated_bytes: int, deflated_bytes: int
) -> tuple[list[Sent], list[Sent]]:
    """What became of one segment of each sender, and of the events that the project of `app_key` sent
    meanwhile, one after the other."""
    began_ms = round(time.time() * 1000) - 60_000
    recording = large_recording(large_events(inflated_bytes, deflated_bytes, began_ms))
    over = threading.Event()

    def ordinary() -> list[Sent]:
        host, sent = Host(service, app_key), list[Sent]()
        while not over.wait(0.2):
            sent.append(host.deliver([event_line(f"order {len(sent)}")]))
        return sent

    def segment(number: int) -> Sent:
        line = recording_line(f"{number:032x}", recording)
        return Host(service, service.credentials["app_key"]).deliver([line])

    with ThreadPoolExecutor(senders + 1) as threads:
        others = threads.submit(ordinary)
        try:
            stored = list(threads.map(segment, range(1, senders + 1)))
        finally:
            over.set()
        return stored, others.result()
