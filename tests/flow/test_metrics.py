"""Two web processes of one service tell the same sums, whichever is asked."""

import json
import time
from urllib.request import Request, urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families

from errata.warehouse.roles import Role
from tests.service import running

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

DELIVERIES = 40
SETTLED_WITHIN_SECONDS = 30


def test_sums_of_two_processes_are_those_of_the_ledger() -> None:
    with running("--workers", "2", "--no-pipelines") as service:
        url, credentials = service.credentials["base_url"], service.credentials
        headers = {
            "Authorization": f"Bearer {credentials['api_key']}",
            "X-Errata-App-Key": credentials["app_key"],
        }
        for number in range(DELIVERIES):
            line = {"type": "event", "payload": {"message": f"number {number}"}}
            body = json.dumps(line).encode() + b"\n{broken"
            with urlopen(Request(f"{url}/api/ingest", data=body, headers=headers)) as answer:
                assert answer.status == 200

        def told() -> tuple[float, float]:
            """Accepted lines, and those that were not JSON."""
            # A connection of its own: the kernel chooses the process.
            with urlopen(f"{url}/metrics") as answer:
                families = text_string_to_metric_families(answer.read().decode())
            found = {
                (sample.name, sample.labels.get("outcome", "")): sample.value
                for family in families
                for sample in family.samples
            }
            return (
                found["errata_ingest_accepted_lines_total", ""],
                found["errata_ingest_outcomes_total", "invalid_json"],
            )

        until = time.monotonic() + SETTLED_WITHIN_SECONDS
        while told() != (DELIVERIES, DELIVERIES):
            assert time.monotonic() < until, told()
            time.sleep(0.2)
        assert {told() for _ in range(20)} == {(DELIVERIES, DELIVERIES)}
        ledger = service.warehouse(Role.ADMIN)
        rows = ledger.rows("select sum(accepted_count) as accepted from errata_raw.deliveries")
        ledger.close()
        assert rows[0]["accepted"] == DELIVERIES
