"""SIGKILL of every part while events flow: nothing lost, nothing counted twice at any read."""

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import urllib3

from bench.figures import figure
from tests.service import ROOT, Service, running

KILLS = 10
PARTS = ("web", "warehouse", "shipper", "build")
EVENTS_A_SECOND = 100
PAUSE_SECONDS = (1.0, 3.0)
SETTLED_WITHIN_SECONDS = 120


class Writer(threading.Thread):
    """Appends item lines as an SDK does, and knows how many."""

    def __init__(self, logs: Path, events_a_second: float = EVENTS_A_SECOND) -> None:
        super().__init__(daemon=True)
        self.logs = logs
        self.pause_seconds = 1 / events_a_second
        self.written = 0
        self.stopping = threading.Event()

    def run(self) -> None:
        while not self.stopping.wait(self.pause_seconds):
            now = datetime.now(UTC)
            self.written += 1
            with (self.logs / f"errata-{now:%Y-%m-%d}.log").open("ab", buffering=0) as file:
                file.write(_line(now, self.written))


class Reader(threading.Thread):
    """Reads the issue list all the time: counts never fall, and never pass what was written."""

    def __init__(self, service: Service, written: Callable[[], int]) -> None:
        super().__init__(daemon=True)
        self.service = service
        self.written = written
        self.reads = self.unanswered = 0
        self.wrong: list[str] = []
        self.highest = 0
        self.stopping = threading.Event()

    def run(self) -> None:
        while not self.stopping.wait(0.1):
            count = event_count(self.service)
            if count is None:
                self.unanswered += 1
                continue
            self.reads += 1
            if count < self.highest or count > (written := self.written()):
                self.wrong.append(f"{count} after {self.highest}, {written} written")
            self.highest = max(self.highest, count)


def main() -> None:
    with running("--no-pipelines") as service:
        logs = service.directory.parent / "logs"
        logs.mkdir()
        writer = Writer(logs)
        reader = Reader(service, lambda: writer.written)
        shipper = start_shipper(service, logs)
        writer.start()
        reader.start()
        kills = dict.fromkeys(PARTS, 0)
        for part in PARTS * KILLS:
            time.sleep(random.uniform(*PAUSE_SECONDS))
            if part == "shipper":
                shipper.kill()
                shipper.wait()
                shipper = start_shipper(service, logs)
                kills[part] += 1
            elif part == "build":
                kills[part] += _kill_builds(service)
            else:
                service.kill(part)
                kills[part] += 1
        writer.stopping.set()
        writer.join()
        seconds_until_settled = settled_after(service, writer.written)
        reader.stopping.set()
        reader.join()
        lost = writer.written - (event_count(service) or 0)
        _build(service).wait(120)
        moved = (event_count(service) or 0) - (writer.written - lost)
        shipper.terminate()
        shipper.wait(30)
    figure("kills_events_lost", lost, "events", written=writer.written, kills=kills)
    figure("kills_wrong_reads", len(reader.wrong), "reads", reads=reader.reads, wrong=reader.wrong[:5])
    figure("kills_unanswered_reads", reader.unanswered, "reads")
    figure("kills_moved_by_a_build", moved, "events")
    figure("kills_settled_after", seconds_until_settled, "s")


def event_count(service: Service) -> int | None:
    """Sum of the issue list; None while the service does not answer."""
    url = f"{service.credentials['base_url']}/api/projects/{service.credentials['project']}/issues?limit=200"
    headers = {"Authorization": f"Bearer {service.credentials['api_key']}"}
    try:
        answer = urllib3.request("GET", url, headers=headers, retries=False, timeout=10)
    except urllib3.exceptions.HTTPError:
        return None
    if answer.status != 200:
        return None
    return sum(int(issue["event_count"]) for issue in answer.json()["issues"])


def _kill_builds(service: Service) -> int:
    """Two builds beside each other; one is killed on the way, the other goes on."""
    killed = False
    while not killed:
        first, second = _build(service), _build(service)
        time.sleep(random.uniform(0.4, 1.4))
        killed = first.poll() is None
        first.kill()
        first.wait()
        try:
            second.wait(90)
        except subprocess.TimeoutExpired:
            second.kill()
            second.wait()
    return 1


def _build(service: Service) -> "subprocess.Popen[bytes]":
    return _start("errata", "build", "--data", str(service.directory))


def settled_after(service: Service, written: int) -> float:
    began = time.monotonic()
    while time.monotonic() - began < SETTLED_WITHIN_SECONDS and event_count(service) != written:
        time.sleep(0.2)
    return time.monotonic() - began


def start_shipper(service: Service, logs: Path, flush_interval: str = "500ms") -> "subprocess.Popen[bytes]":
    config = logs.parent / "errata.yaml"
    config.touch(0o600)
    settings: dict[str, Any] = {
        "apiKey": service.credentials["api_key"],
        "appKey": service.credentials["app_key"],
        "baseUrl": service.credentials["base_url"],
        "storagePath": str(logs),
        "flushInterval": flush_interval,
    }
    config.write_text(json.dumps({"errata": settings}))
    return _start("errata_shipper", "--config", str(config), "--record")


def _start(module: str, *arguments: str) -> "subprocess.Popen[bytes]":
    path = os.pathsep.join(str(ROOT / part) for part in (".", "shipper", "wire"))
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _line(now: datetime, number: int) -> bytes:
    payload = {
        "event_id": uuid4().hex,
        "timestamp": now.isoformat(),
        "release": f"shop@1.{number % 3}.0",
        "user": {"id": number % 50},
        "exception": {
            "values": [{"type": ("KeyError", "ValueError", "TypeError")[number % 3], "value": "broken"}]
        },
    }
    item = {"type": "event", "logged_at": now.isoformat(), "payload": payload}
    return json.dumps(item).encode() + b"\n"


if __name__ == "__main__":
    main()
