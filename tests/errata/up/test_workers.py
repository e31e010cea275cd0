"""Several web processes share the port: each may be killed, and the one that starts them too."""

import time
from pathlib import Path

import psutil
import pytest
import urllib3

from errata.warehouse.roles import Role
from tests.api.ingest.test_deliver import a_line
from tests.service import Service, running

BATCHES, LINES = 40, 5
COUNT = "select uniqExact(item_id) as event_count from errata_raw.error_events"


def workers(service: Service) -> list[psutil.Process]:
    parent, *members = service.processes()["web"]
    return [one for one in members if one.ppid() == parent.pid and "spawn_main" in " ".join(one.cmdline())]


def deliver(service: Service, body: bytes) -> None:
    """As a shipper does: again until it is stored."""
    headers = {
        "Authorization": f"Bearer {service.credentials['api_key']}",
        "X-Errata-App-Key": service.credentials["app_key"],
    }
    address = f"{service.credentials['base_url']}/api/ingest"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            # A connection of its own, so that every process gets some.
            answer = urllib3.request("POST", address, body=body, headers=headers, retries=False, timeout=10)
            if answer.status == 200:
                return
        except urllib3.exceptions.HTTPError:
            pass
        time.sleep(0.1)
    raise AssertionError("not stored within a minute")


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_nothing_is_lost_while_workers_and_their_parent_are_killed(tmp_path: Path) -> None:
    with running("--no-pipelines", "--workers", "2", directory=tmp_path / "data") as service:
        before = {one.pid for one in workers(service)}
        assert len(before) == 2
        for number in range(BATCHES):
            deliver(service, b"".join(a_line() for _ in range(LINES)))
            if number == 10:
                workers(service)[0].kill()
            if number == 25:
                # Its workers go with it, and those of the next one take the port.
                service.processes()["web"][0].kill()
        admin = service.warehouse(Role.ADMIN)
        assert admin.rows(COUNT) == [{"event_count": BATCHES * LINES}]
        admin.close()
        after = {one.pid for one in workers(service)}
        assert len(after) == 2 and not after & before
