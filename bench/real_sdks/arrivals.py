"""What of an SDK's items has reached the host's log file, and the service."""

import json
import time
from pathlib import Path
from typing import Any

import urllib3

from tests.service import Service

ARRIVES_WITHIN_SECONDS = 30.0


class Arrivals:
    def __init__(self, service: Service, logs: Path) -> None:
        self._service = service
        self._logs = logs
        self._http = urllib3.PoolManager()
        self._seen_count = 0

    def new_lines(self) -> list[dict[str, Any]]:
        """Those written since the last time."""
        content = b"".join(file.read_bytes() for file in sorted(self._logs.glob("errata-*.log")))
        lines = content.splitlines()
        new, self._seen_count = lines[self._seen_count :], len(lines)
        return [json.loads(line) for line in new]

    def issue_of(self, event_id: str) -> dict[str, Any]:
        """The issue that an event has become one of."""
        deadline = time.monotonic() + ARRIVES_WITHIN_SECONDS
        while (event := self._get(f"/api/events/{event_id}")) is None or event["issue_id"] is None:
            if time.monotonic() > deadline:
                raise TimeoutError(f"event {event_id} has not arrived")
            time.sleep(0.2)
        issue = self._get(f"/api/issues/{event['issue_id']}")
        assert issue is not None
        return issue

    @property
    def set_aside_count(self) -> int:
        return len(list((self._logs / "rejected").glob("*")))

    def _get(self, path: str) -> dict[str, Any] | None:
        answer = self._http.request(
            "GET",
            self._service.credentials["base_url"] + path,
            headers={"Authorization": f"Bearer {self._service.credentials['api_key']}"},
        )
        if answer.status == 404:
            return None
        assert answer.status == 200, answer.data
        found: dict[str, Any] = answer.json()
        return found
