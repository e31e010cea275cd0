"""Deliveries of several senders: light ones do not wait for all that others have sent."""

import json
import zlib
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor, wait

import pytest

from tests.api.ingest.conftest import IngestNode
from tests.api.ingest.test_deliver import a_line

SENDERS = 4
LINES = 150
# To look for secrets in it takes 10 ms.
SECRETS = "password=hunter2x " * 500


@pytest.mark.slow
def test_light_deliveries_do_not_wait_for_the_heavy_ones_of_others(node: IngestNode) -> None:
    owner = node.store.keys.api.owner(node.account.api_key)
    assert owner is not None
    projects = [
        node.store.projects.create(owner.organization_id, f"No {number}", actor="owner")
        for number in range(SENDERS)
    ]
    heavy = b"".join(a_line({"message": SECRETS}) for _ in range(LINES))
    # More than is inflated before it is its turn.
    filler = a_line({"message": "x" * 200_000}) * 45
    with ThreadPoolExecutor(SENDERS + 1) as threads:
        heavies = [
            threads.submit(node.deliver, body, X_Errata_App_Key=project.app_key.key)
            for body, project in zip([heavy, heavy, heavy, heavy + filler], projects, strict=True)
        ]
        heavies.append(threads.submit(node.deliver, heavy, X_Errata_App_Key=projects[0].app_key.key))
        wait(heavies, timeout=0.5)
        for _ in range(3):
            status, answer = node.deliver(a_line())
            assert (status, answer["accepted"]) == (200, 1)
        assert not all(delivery.done() for delivery in heavies)
        answers = [delivery.result() for delivery in heavies]
    assert [(status, answer["accepted"]) for status, answer in answers] == [
        (200, lines) for lines in (LINES, LINES, LINES, LINES + 45, LINES)
    ]
    assert node.count("errata_raw.error_events") == 5 * LINES + 45 + 3
    assert not node.admin.rows(
        "select item_id from errata_raw.error_events where position(payload, 'hunter2') > 0 limit 1"
    )


@pytest.mark.slow
def test_what_goes_wrong_between_two_turns_is_answered_and_the_next_is_taken(node: IngestNode) -> None:
    lines = b"".join(a_line() for _ in range(300))
    status, answer = node.deliver(lines + b"\n" * 20_000)
    assert (status, answer["accepted"]) == (200, 300)
    assert node.deliver(lines * 40)[0] == 413
    assert node.deliver(lines, X_Errata_App_Key="errata_app_unknown")[0] == 404
    assert node.deliver(b"\x00" * 100, Content_Encoding="gzip")[0] == 400
    status, answer = node.deliver(a_line({"extra": ["password=x"] * 20_001}) + a_line())
    assert (status, answer["accepted"]) == (200, 1)
    assert answer["rejected"][0]["message"] == "More than 20000 texts and names might contain secrets"
    assert node.deliver(lines)[0] == 200


@pytest.mark.slow
def test_light_deliveries_do_not_wait_for_one_step_that_takes_seconds(node: IngestNode) -> None:
    nodes = [{"number": number, "more": [[[]]]} for number in range(600_000)]
    data = {"nodes": nodes, "text": "password=hunter2x"}
    recorded = json.dumps([{"type": 3, "timestamp": 1.8e12, "data": data}]).encode()
    segment = b64encode(b'{"segment_id":1}\n' + zlib.compress(recorded)).decode()
    owner = node.store.keys.api.owner(node.account.api_key)
    assert owner is not None
    other = node.store.projects.create(owner.organization_id, "Other", actor="owner").app_key.key
    heavy = a_line(type="replay_recording", payload=None, payload_b64=segment)
    with ThreadPoolExecutor(1) as thread:
        delivery = thread.submit(node.deliver, heavy, X_Errata_App_Key=other)
        wait([delivery], timeout=0.3)
        for _ in range(3):
            assert node.deliver(a_line())[0] == 200
        assert not delivery.done()
        assert delivery.result()[1]["accepted"] == 1, delivery.result()
