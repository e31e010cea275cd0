"""Seconds from an exception to the issue list, and the memory of everything that makes it so."""

import json
import os
import statistics
import subprocess
import sys
import time
from datetime import UTC, datetime
from uuid import uuid4

import urllib3

from bench.figures import figure
from bench.kill import event_count, start_shipper
from tests.service import ROOT, Service, running

TRIES = 10
LISTED_WITHIN_SECONDS = 30
SETTLING_SECONDS = 90

APPLICATION = """
import sys, time
import errata_sdk, sentry_sdk
errata_sdk.init(app_key=sys.argv[1], storage_path=sys.argv[2], release="bench@1")
for line in sys.stdin:
    try:
        {}["discount"]
    except KeyError as error:
        sentry_sdk.capture_exception(error)
    sentry_sdk.flush()
    print(time.time(), flush=True)
"""


def main() -> None:
    with running() as service:
        _from_arrival(service)
        _from_capture(service)
        # The pipelines start after the ready line, and settle once their first run is over.
        time.sleep(SETTLING_SECONDS)
        parts = service.pss_bytes()
        megabytes = {name: round(size / 1e6) for name, size in parts.items()}
        figure("memory_with_pipelines_pss", sum(parts.values()) / 1e6, "MB", parts=megabytes)


def _from_arrival(service: Service) -> None:
    seconds = []
    for number in range(TRIES):
        before = event_count(service) or 0
        began = time.monotonic()
        _deliver(service, number)
        seconds.append(_until_listed(service, before + 1, began))
    figure("seconds_from_arrival_to_listed", statistics.median(seconds), "s", most=round(max(seconds), 3))


def _from_capture(service: Service) -> None:
    logs = service.directory.parent / "logs"
    logs.mkdir()
    shipper = start_shipper(service, logs, flush_interval="1s")
    application = subprocess.Popen(
        [sys.executable, "-c", APPLICATION, service.credentials["app_key"], str(logs)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in ("sdk", "wire"))},
    )
    assert application.stdin is not None and application.stdout is not None
    seconds = []
    for _ in range(TRIES):
        before = event_count(service) or 0
        began = time.monotonic()
        application.stdin.write("raise\n")
        application.stdin.flush()
        application.stdout.readline()
        seconds.append(_until_listed(service, before + 1, began))
    application.stdin.close()
    application.wait(10)
    shipper.terminate()
    shipper.wait(30)
    figure(
        "seconds_from_capture_to_listed",
        statistics.median(seconds),
        "s",
        most=round(max(seconds), 3),
        flush_interval="1s",
    )


def _until_listed(service: Service, count: int, began: float) -> float:
    while (event_count(service) or 0) < count:
        if time.monotonic() - began > LISTED_WITHIN_SECONDS:
            raise RuntimeError(f"not listed within {LISTED_WITHIN_SECONDS} s")
        time.sleep(0.02)
    return time.monotonic() - began


def _deliver(service: Service, number: int) -> None:
    now = datetime.now(UTC).isoformat()
    payload = {"event_id": uuid4().hex, "timestamp": now, "message": f"bench {number}"}
    line = json.dumps({"type": "event", "logged_at": now, "payload": payload}).encode()
    headers = {
        "Authorization": f"Bearer {service.credentials['api_key']}",
        "X-Errata-App-Key": service.credentials["app_key"],
    }
    answer = urllib3.request(
        "POST", f"{service.credentials['base_url']}/api/ingest", body=line, headers=headers
    )
    if answer.status != 200:
        raise RuntimeError(f"{answer.status}: {answer.data[:500]!r}")


if __name__ == "__main__":
    main()
