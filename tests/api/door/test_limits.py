"""No sender takes the room of another one, and what is refused says for how long."""

from pathlib import Path

from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.state.ingest_limits import LimitKind
from tests.api.door.direct_node import DirectNode, envelope, event, running
from tests.processes import WarehouseProcess

BODY = envelope(event())


def test_one_address_sends_so_much_with_public_keys(
    warehouse: WarehouseProcess, store: Store, account: FirstAccount, tmp_path: Path
) -> None:
    with running(warehouse, store, account, tmp_path, public_requests_per_second=1) as node:
        statuses = [node.send(BODY).status_code for _ in range(12)]
        assert statuses[:10] == [200] * 10
        assert statuses[-1] == 429
        refused = node.send(BODY)
        seconds = refused.headers["retry-after"]
        assert refused.headers["x-sentry-rate-limits"] == f"{seconds}::organization"
        assert refused.json()["error"] == "rate_limited"
        # A server's key is no page's.
        assert node.send(BODY, key=account.app_key).status_code == 200
        # A key that the body alone names is a public one until it is read.
        dsn = f"http://{account.app_key}@errata.example/1"
        assert node.send(envelope(event(), dsn=dsn), key="").status_code == 429


def test_a_project_over_its_limit_is_told_so_and_stops_nobody(node: DirectNode) -> None:
    other = node.store.projects.create(1, "Other", actor="test")
    node.store.ingest_limits.replace(1, node.account.project, "", {LimitKind.LINES: 2}, actor="test")
    assert [node.send(BODY).status_code for _ in range(3)] == [200, 200, 429]
    refused = node.send(BODY)
    assert refused.headers["x-sentry-rate-limits"].endswith("::project")
    path = f"/api/{other.project.id}/envelope/"
    assert node.send(BODY, path, other.public_key.key).status_code == 200
    assert len(node.lines()) == 3
    assert len(node.events(3)) == 3
    # What was taken is delivered, whatever the limit is by then.
    node.store.ingest_limits.replace(1, other.project.slug, "", {LimitKind.LINES: 1}, actor="test")
    assert node.send(BODY, path, other.public_key.key).status_code in {200, 429}


def test_an_envelope_of_too_many_items_is_refused(node: DirectNode) -> None:
    answer = node.send(envelope(*[("client_report", b"{}")] * 10_001))
    assert (answer.status_code, answer.json()["error"]) == (413, "too_large")
    assert node.lines() == []


def test_a_node_without_a_spool_says_so(
    warehouse: WarehouseProcess, store: Store, account: FirstAccount, tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("")
    with running(warehouse, store, account, tmp_path / "taken") as node:
        answer = node.send(BODY)
        assert (answer.status_code, answer.json()["error"]) == (503, "spool_unavailable")
        assert answer.headers["retry-after"] == "60"
