"""The delivery ledger and the outcomes know the service of each line's application key."""

import json

import pytest

from tests.api.ingest.conftest import IngestNode
from tests.builders import Row

SOURCE = "host=web-1; file=errata-2026-11-21.log; id=00ff00ff00ff00ff; from=0; to=9; size=9"


def a_line(message: str = "one", **told: str) -> bytes:
    return json.dumps({"type": "event", "payload": {"message": message}, **told}).encode() + b"\n"


def organization(node: IngestNode) -> int:
    owner = node.store.keys.api.owner(node.account.api_key)
    assert owner is not None
    return owner.organization_id


def app_key(node: IngestNode, service: str) -> str:
    organization_id = organization(node)
    return node.store.keys.app.create(organization_id, "shop", service, actor="x").key


def delivered(node: IngestNode, body: bytes, **headers: str) -> Row:
    assert node.deliver(body, X_Errata_Source=SOURCE, **headers)[0] == 200
    (row,) = node.admin.rows(
        "select service, lines_of_services, accepted_count, rejected_count from errata_raw.deliveries"
    )
    node.admin.execute("truncate table errata_raw.deliveries")
    counts = row.pop("accepted_count"), row.pop("rejected_count")
    if row["lines_of_services"]:
        assert counts == tuple(sum(lines[at] for lines in row["lines_of_services"]) for at in (1, 2))
    return row


@pytest.fixture
def worker(node: IngestNode) -> str:
    return app_key(node, "worker")


def test_a_delivery_is_of_the_service_that_all_its_lines_name(node: IngestNode, worker: str) -> None:
    lines = a_line(app_key=worker) + a_line("two", app_key=worker)
    of_worker = {"service": "worker", "lines_of_services": []}
    assert delivered(node, lines) == of_worker
    assert delivered(node, a_line(), X_Errata_App_Key=worker) == of_worker
    assert delivered(node, b"", X_Errata_App_Key=worker) == of_worker
    assert delivered(node, a_line()) == {"service": "", "lines_of_services": []}


def test_lines_of_several_services_count_for_each(node: IngestNode, worker: str) -> None:
    lines = a_line("one", app_key=worker) + a_line("two") + a_line("three", app_key=app_key(node, "web"))
    assert delivered(node, lines) == {
        "service": "(several)",
        "lines_of_services": [("", 1, 0), ("web", 1, 0), ("worker", 1, 0)],
    }


def test_a_refused_line_counts_for_its_own_key_or_that_of_the_delivery(node: IngestNode, worker: str) -> None:
    refused = b'{"type": "event", "payload": 3, "app_key": "%s"}\n' % worker.encode()
    assert delivered(node, a_line(app_key=worker) + refused + b"bad\n") == {
        "service": "worker",
        "lines_of_services": [("", 0, 1), ("worker", 1, 1)],
    }
    rows = node.admin.rows(
        "select service, outcome, item_count from errata_raw.outcomes where item_type = 'line' order by 1"
    )
    assert [tuple(row.values()) for row in rows] == [("", "invalid_json", 1), ("worker", "invalid_item", 1)]


def test_lines_of_another_project_count_for_the_service_of_the_delivery(
    node: IngestNode, worker: str
) -> None:
    organization_id = organization(node)
    node.store.projects.create(organization_id, "Blog", actor="x")
    theirs = node.store.keys.app.create(organization_id, "blog", "worker", actor="x").key
    lines = a_line("one", app_key=theirs) + a_line("two", app_key=theirs)
    assert delivered(node, lines) == {"service": "", "lines_of_services": []}
    assert delivered(node, lines, X_Errata_App_Key=worker)["service"] == "worker"


def test_items_not_stored_as_sent_have_their_service(node: IngestNode, worker: str) -> None:
    unknown = b'{"type": "profile", "payload": {}, "app_key": "%s"}\n' % worker.encode()
    node.deliver(unknown + unknown + b'{"type": "profile", "payload": {}}\n')
    rows = node.admin.rows("select service, item_type, item_count from errata_raw.outcomes order by 1")
    assert [tuple(row.values()) for row in rows] == [("", "profile", 1), ("worker", "profile", 2)]
