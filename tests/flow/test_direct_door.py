"""What was answered with success is stored and counts once, whichever process is killed."""

import random
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import uuid4

import pytest
import urllib3

from errata.warehouse.roles import Role
from tests.api.door.direct_node import envelope, event
from tests.service import UP_WITH_QUICK_RESTARTS, Service, running

SENDERS = 4
STORED_WITHIN_SECONDS = 60


@dataclass
class Senders:
    """Threads that send one event after the other, and remember those that were answered with success."""

    dsn: str
    acknowledged: list[str] = field(default_factory=list)
    refused: list[int] = field(default_factory=list)
    is_ending: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> "Senders":
        self.threads = [threading.Thread(target=self._send) for _ in range(SENDERS)]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.is_ending.set()
        for thread in self.threads:
            thread.join()

    def _send(self) -> None:
        scheme, _, rest = self.dsn.partition("://")
        key, _, place = rest.partition("@")
        host, _, project = place.rpartition("/")
        address = f"{scheme}://{host}/api/{project}/envelope/?sentry_key={key}"
        pool = urllib3.PoolManager(retries=False, timeout=5)
        while not self.is_ending.is_set():
            event_id = uuid4().hex
            body = envelope(event(f"number {random.randrange(5)}", event_id=event_id), event_id=event_id)
            try:
                answer = pool.request("POST", address, body=body)
            except urllib3.exceptions.HTTPError:
                time.sleep(0.05)
                continue
            if answer.status == 200:
                self.acknowledged.append(event_id)
            else:
                self.refused.append(answer.status)
            time.sleep(0.01)


def missing_of(service: Service, wanted: Sequence[str]) -> int:
    """How many of the wanted events are missing, once none is or it took too long."""
    until = time.monotonic() + STORED_WITHIN_SECONDS
    while True:
        warehouse = service.warehouse(Role.ADMIN)
        rows = warehouse.rows(
            "select distinct lower(replaceAll(toString(item_id), '-', '')) as event_id "
            "from errata_raw.error_events"
        )
        warehouse.close()
        missing = set(wanted) - {str(row["event_id"]) for row in rows}
        if not missing or time.monotonic() > until:
            return len(missing)
        time.sleep(0.5)


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_kills_and_an_absent_warehouse_lose_nothing_that_was_answered() -> None:
    with running("--no-pipelines", program=UP_WITH_QUICK_RESTARTS) as service:
        with Senders(service.credentials["dsn"]) as senders:
            for part in ("web", "warehouse", "web", "warehouse", "web"):
                time.sleep(3)
                service.kill(part)
            time.sleep(6)
        assert len(senders.acknowledged) > 100
        assert senders.refused == []
        assert missing_of(service, senders.acknowledged) == 0
        # Rows may be stored twice, and count once.
        client = urllib3.PoolManager()
        answer = client.request(
            "GET",
            f"{service.credentials['base_url']}/api/projects/{service.credentials['project']}/issues",
            headers={"Authorization": f"Bearer {service.credentials['api_key']}"},
        )
        counted = sum(issue["event_count"] for issue in answer.json()["issues"])
        unanswered_at_most = SENDERS * 8
        assert len(senders.acknowledged) <= counted <= len(senders.acknowledged) + unanswered_at_most
        # Usage counts every line, again where its batch was delivered again.
        answer = client.request(
            "GET",
            f"{service.credentials['base_url']}/api/usage",
            headers={"Authorization": f"Bearer {service.credentials['api_key']}"},
        )
        assert sum(step["accepted"] for step in answer.json()["steps"]) >= len(senders.acknowledged)
