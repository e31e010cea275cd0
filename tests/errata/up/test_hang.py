"""`errata up` while its warehouse is stopped but not dead: every answer comes in time, and none is wrong."""

import json
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil
import pytest

from tests.errata.up.test_up import Running, running

ANSWERED_WITHIN_SECONDS = 10
BATCHES = 60
EVENTS_A_BATCH = 5


class Caller:
    """Asks the service as a program with a key, or as a signed-in person, and notes how long it took."""

    def __init__(self, service: Running) -> None:
        self._address = service.credentials["base_url"]
        self._key = {
            "Authorization": f"Bearer {service.credentials['api_key']}",
            "X-Errata-App-Key": service.credentials["app_key"],
        }
        self._browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        given = {name: service.credentials[name] for name in ("email", "password")}
        request = urllib.request.Request(
            f"{self._address}/api/auth/sign-in",
            json.dumps(given).encode(),
            {"Content-Type": "application/json"},
        )
        self._browser.open(request, timeout=30).close()
        self.longest_seconds = 0.0

    def ask(
        self, path: str, body: bytes | None = None, more: Mapping[str, str] | None = None
    ) -> tuple[int, bytes]:
        headers = {} if path.startswith("/projects") else {**self._key, **(more or {})}
        began = time.monotonic()
        try:
            with self._browser.open(
                urllib.request.Request(self._address + path, body, headers), timeout=60
            ) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()
        finally:
            self.longest_seconds = max(self.longest_seconds, time.monotonic() - began)

    def deliver(self, batch_id: str, batch: bytes) -> int:
        return self.ask("/api/ingest", batch, {"X-Errata-Batch-Id": batch_id})[0]

    def counted(self) -> int:
        status, body = self.ask("/api/projects/my-project/issues")
        assert status == 200, body
        issues: list[dict[str, Any]] = json.loads(body)["issues"]
        return sum(int(issue["event_count"]) for issue in issues)


def batches() -> dict[str, bytes]:
    now = datetime.now(UTC).isoformat()

    def line(number: int) -> str:
        payload = {"event_id": uuid4().hex, "message": "the till is stuck", "extra": {"number": number}}
        return json.dumps({"type": "event", "logged_at": now, "payload": payload}) + "\n"

    return {
        uuid4().hex: "".join(line(number) for number in range(EVENTS_A_BATCH)).encode()
        for _ in range(BATCHES)
    }


@pytest.mark.timeout(240)
@pytest.mark.slow
def test_everything_answers_while_the_warehouse_hangs_and_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        caller, waiting = Caller(service), batches()
        warehouse = next(each for each in service.children() if "listener" in " ".join(each.cmdline()))
        with ThreadPoolExecutor(12) as threads:
            delivered = {name: threads.submit(caller.deliver, name, batch) for name, batch in waiting.items()}
            time.sleep(0.15)
            warehouse.send_signal(signal.SIGSTOP)
            try:
                pages = [threads.submit(caller.ask, path) for path in PATHS]
                statuses = [page.result()[0] for page in pages]
                acknowledged = {name for name, answer in delivered.items() if answer.result() == 200}
                assert {answer.result() for answer in delivered.values()} <= {200, 503}
                assert acknowledged < waiting.keys()
                assert caller.longest_seconds < ANSWERED_WITHIN_SECONDS
                assert set(statuses) == {503}, statuses
                status, page = caller.ask("/projects/my-project/issues")
                assert status == 503 and b"Temporarily unavailable" in page
            finally:
                _continue(warehouse)
        for name in waiting.keys() - acknowledged:
            _deliver_until_stored(caller, name, waiting[name])
        assert caller.counted() == BATCHES * EVENTS_A_BATCH


PATHS = (
    "/api/health",
    "/api/projects/my-project/issues",
    "/projects/my-project/issues",
    "/projects/my-project/performance",
    "/projects/my-project/delivery",
    "/projects/my-project/performance/releases",
)


def _continue(process: psutil.Process) -> None:
    """The supervisor may have ended it by now."""
    try:
        process.send_signal(signal.SIGCONT)
    except psutil.NoSuchProcess:
        return


def _deliver_until_stored(caller: Caller, name: str, batch: bytes) -> None:
    deadline = time.monotonic() + 60
    while (status := caller.deliver(name, batch)) != 200:
        assert status == 503 and time.monotonic() < deadline
        time.sleep(0.1)
