"""Memory of the web process while large segments of replays are fetched, and while they arrive."""

import statistics
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

import urllib3

from bench.figures import figure
from bench.memory import PeakMemory
from tests.captured_replays import recording_line
from tests.large_recordings import large_events, large_recording
from tests.recording_senders import another_project, recordings_at_once
from tests.service import Service

CALLERS = 8
LARGEST = 100 << 20
LARGEST_SENT = 19 << 19
CHUNK_BYTES = 1 << 20
REPLAY = "a" * 32
SENDERS, SEGMENT, SEGMENT_SENT = 16, 80 << 20, 8 << 20


def large_segments_fetched(service: Service) -> None:
    began_ms = round(time.time() * 1000) - 60_000
    events = large_events(LARGEST, LARGEST_SENT, began_ms)
    line = recording_line(REPLAY, large_recording(events))
    assert _sent(service, line) == 200
    del line
    slug = service.credentials["project"]
    address = f"{service.credentials['base_url']}/api/projects/{slug}/replays/{REPLAY}/segments/0"

    def fetch(_: int) -> float:
        began = time.monotonic()
        answer = urllib3.PoolManager().request(
            "GET",
            address,
            headers={"Authorization": f"Bearer {service.credentials['api_key']}"},
            preload_content=False,
        )
        assert answer.status == 200
        size = sum(len(chunk) for chunk in answer.stream(CHUNK_BYTES))
        assert size == LARGEST, size
        return time.monotonic() - began

    before = service.pss_bytes()
    with PeakMemory(service) as memory, ThreadPoolExecutor(CALLERS) as callers:
        took = list(callers.map(fetch, range(CALLERS)))
    _figures("large_segments_fetched", memory, before, callers=CALLERS, seconds=round(max(took), 1))


def segments_delivered(service: Service) -> None:
    app_key = another_project(service)
    before = service.pss_bytes()
    with PeakMemory(service) as memory:
        segments, events = recordings_at_once(service, app_key, SENDERS, SEGMENT, SEGMENT_SENT)
    assert {one.status for one in (*segments, *events)} == {200}
    facts = {"senders": SENDERS, "tries": sum(one.tries for one in segments)}
    _figures("segments_delivered", memory, before, **facts)
    figure("segments_delivered_last", max(one.seconds for one in segments), "s", **facts)
    took = sorted(one.seconds for one in events)
    retried = sum(one.tries > 1 for one in events)
    figure(
        "events_meanwhile_p95",
        statistics.quantiles(took, n=20)[-1],
        "s",
        p50=round(statistics.median(took), 3),
        most=round(took[-1], 2),
        events=len(took),
        retried=retried,
    )


def _sent(service: Service, body: bytes) -> int:
    address = f"{service.credentials['base_url']}/api/ingest"
    return urllib3.PoolManager().request("POST", address, body=body, headers=_headers(service)).status


def _headers(service: Service) -> dict[str, str]:
    credentials = service.credentials
    return {"Authorization": f"Bearer {credentials['api_key']}", "X-Errata-App-Key": credentials["app_key"]}


def _figures(name: str, memory: PeakMemory, before: Mapping[str, int], **facts: object) -> None:
    for part in ("web", "warehouse"):
        most = memory.largest_bytes[part]
        figure(f"{name}_{part}_pss", most / 1e6, "MB", before=round(before[part] / 1e6), **facts)
