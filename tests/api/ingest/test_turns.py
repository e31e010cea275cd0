"""Deliveries of several senders: none waits for all that another has sent."""

from concurrent.futures import ThreadPoolExecutor, wait

from tests.api.ingest.conftest import IngestNode
from tests.api.ingest.test_deliver import a_line

DELIVERIES = 4
LINES = 300
# To look for secrets in it takes 10 ms.
SECRETS = "password=hunter2x " * 500


def test_a_light_delivery_does_not_wait_for_the_heavy_ones_of_another_sender(node: IngestNode) -> None:
    owner = node.store.api_key_owner(node.account.api_key)
    assert owner is not None
    other = node.store.create_project(owner.organization_id, "Other", actor="owner")
    heavy = b"".join(a_line({"message": SECRETS}) for _ in range(LINES))
    with ThreadPoolExecutor(DELIVERIES) as threads:
        heavies = [threads.submit(node.deliver, heavy) for _ in range(DELIVERIES)]
        wait(heavies, timeout=0.5)
        for _ in range(3):
            status, answer = node.deliver(a_line(), X_Errata_App_Key=other.app_key.key)
            assert (status, answer["accepted"]) == (200, 1)
        assert not any(delivery.done() for delivery in heavies)
        answers = [delivery.result() for delivery in heavies]
    assert [(status, answer["accepted"]) for status, answer in answers] == [(200, LINES)] * DELIVERIES
    assert node.count("errata_raw.error_events") == DELIVERIES * LINES + 3
    assert not node.admin.rows(
        "select item_id from errata_raw.error_events where position(payload, 'hunter2') > 0 limit 1"
    )
