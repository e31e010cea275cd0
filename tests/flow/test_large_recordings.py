"""Recordings as large as they may be, from a log file to the API, and many of them at once."""

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
import urllib3

from errata.warehouse.roles import Role
from tests.captured_replays import recording_line
from tests.large_recordings import large_events, large_recording
from tests.recording_senders import another_project, event_line, recordings_at_once
from tests.service import ROOT, Service, running

pytestmark = [pytest.mark.slow, pytest.mark.timeout(500)]

MB = 1 << 20
SENT_MAX, INFLATED_MAX = 10 * MB, 100 * MB
DELIVERED_WITHIN_SECONDS = 120
LARGEST, TOO_LARGE_SENT, TOO_LARGE_INFLATED = "a" * 32, "b" * 32, "c" * 32


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running("--no-pipelines", directory=tmp_path_factory.mktemp("large") / "data") as started:
        yield started


@contextmanager
def shipper(service: Service, logs: Path) -> Iterator[None]:
    credentials, config = service.credentials, logs.parent / "errata.yaml"
    config.touch(0o600)
    config.write_text(
        f"errata:\n  apiKey: {credentials['api_key']}\n  appKey: {credentials['app_key']}\n"
        f"  baseUrl: {credentials['base_url']}\n  storagePath: {logs}\n  flushInterval: 500ms\n"
    )
    command = [sys.executable, "-m", "errata_shipper", "--config", str(config), "--record"]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "shipper")},
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.terminate()
        assert process.wait(30) == 0


def get(service: Service, path: str) -> urllib3.BaseHTTPResponse:
    return urllib3.PoolManager().request(
        "GET",
        f"{service.credentials['base_url']}/api/projects/{service.credentials['project']}/{path}",
        headers={"Authorization": f"Bearer {service.credentials['api_key']}"},
        preload_content=False,
    )


def rows(service: Service, statement: str) -> list[dict[str, Any]]:
    admin = service.warehouse(Role.ADMIN)
    try:
        return admin.rows(statement)
    finally:
        admin.close()


def plain_recording(size: int, began_ms: int) -> bytes:
    """A recording of exactly as many bytes, not deflated."""
    head = b'{"segment_id":0}\n'
    return head + large_events(size - len(head), size // 2, began_ms)


def test_the_largest_segment_is_read_as_it_was_sent_and_larger_ones_are_refused_alone(
    service: Service, tmp_path: Path
) -> None:
    began_ms = round(time.time() * 1000) - 60_000
    events = large_events(INFLATED_MAX, SENT_MAX * 19 // 20, began_ms)
    largest = large_recording(events)
    assert SENT_MAX * 9 // 10 < len(largest) <= SENT_MAX
    larger = large_events(INFLATED_MAX + 1, MB, began_ms)
    lines = [
        event_line("before"),
        recording_line(LARGEST, largest),
        event_line("between"),
        recording_line(TOO_LARGE_SENT, plain_recording(SENT_MAX + 1, began_ms)),
        event_line("between, too"),
        recording_line(TOO_LARGE_INFLATED, large_recording(larger)),
        event_line("after"),
    ]
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / f"errata-{time.strftime('%Y-%m-%d', time.gmtime())}.log").write_bytes(b"\n".join(lines) + b"\n")
    with shipper(service, logs):
        deadline = time.monotonic() + DELIVERED_WITHIN_SECONDS
        stored = "select message from errata_raw.error_events order by message"
        while len(found := rows(service, stored)) < 4:
            assert time.monotonic() < deadline, found
            time.sleep(1)
    assert [row["message"] for row in found] == ["after", "before", "between", "between, too"]
    answer = get(service, f"replays/{LARGEST}/segments/0")
    assert answer.status == 200 and int(answer.headers["Content-Length"]) == len(events)
    read = hashlib.sha256()
    for chunk in answer.stream(MB):
        read.update(chunk)
    assert read.digest() == hashlib.sha256(events).digest()
    for refused in (TOO_LARGE_SENT, TOO_LARGE_INFLATED):
        assert get(service, f"replays/{refused}").status == 404
    messages = rows(service, "select reason, message from errata_raw.rejected_items order by message")
    assert [(row["reason"], row["message"]) for row in messages] == [
        ("invalid_item", f"The recording has {SENT_MAX + 1} bytes; the limit is {SENT_MAX}"),
        ("invalid_item", f"The recording decompresses to more than {INFLATED_MAX} bytes"),
    ]


def test_many_senders_of_large_segments_keep_neither_memory_nor_others_waiting(service: Service) -> None:
    app_key = another_project(service)
    (web,) = (part[0] for name, part in service.processes().items() if name == "web")
    segments, events = recordings_at_once(service, app_key, 16, 80 * MB, 8 * MB)
    assert {one.status for one in (*segments, *events)} == {200}
    assert all(one.answer["accepted"] == 1 and one.answer["rejected"] == [] for one in (*segments, *events))
    (count,) = rows(
        service,
        "select uniq(replay_id) as replays, min(recording_bytes) as least from errata_raw.replay_segments "
        f"where recording_bytes = {80 * MB}",
    )
    assert count == {"replays": 16, "least": 80 * MB}
    # Sixteen inflated segments have 1.3 GB: no more than some of them as sent are held, and one inflated.
    assert peak_bytes(web) < 800 * MB
    # An ordinary event waits for no segment to be prepared.
    took = sorted(one.seconds for one in events)
    assert took[len(took) // 2] < 3, took


def peak_bytes(process: psutil.Process) -> int:
    """The most memory it had since it started."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) << 10
