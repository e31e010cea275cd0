"""Secrets beside the payloads: in headers of items, and in the id of a batch."""

import logging

import pytest

from tests.api.ingest.conftest import IngestNode
from tests.api.ingest.test_deliver import a_line
from tests.api.ingest.test_secrets import everything_stored
from tests.planted_person import VERA, lines, telemetry

SECRET = "hunter2Zs"


def test_no_secret_of_a_header_is_stored(node: IngestNode, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    item = next(one for one in telemetry({0: VERA}) if one["type"] == "transaction")
    # Told by the header where the payload lacks them.
    item["payload"] = {**item["payload"], "release": None, "environment": None}
    trace = {**item["headers"].get("trace", {}), "release": f"password={SECRET}", "environment": "shop"}
    item["headers"] = {**item["headers"], "trace": trace}
    status, answer = node.deliver(
        lines(item) + a_line() + b"not JSON\n",
        X_Errata_Batch_Id=f"password={SECRET}",
        X_Errata_Source="host=web-1; file=errata-2026-11-21.log; from=0; to=9; size=9",
    )
    assert (status, answer["accepted"]) == (200, 2), answer
    stored = everything_stored(node)
    assert "password=[FILTERED]" in stored and "'environment': 'shop'" in stored
    assert SECRET not in stored and SECRET not in str(answer) and SECRET not in caplog.text
