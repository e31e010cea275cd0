"""Limits of lines, bytes and payloads of a project and its services, over the real API."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ApiSettings
from errata.state.ingest_limits import NOT_LEARNED, LimitKind
from errata.warehouse.roles import Role
from tests.api.ingest.conftest import IngestNode
from tests.api.ingest.test_deliver import EVENTS, a_line
from tests.api.ingest.test_services import app_key, organization
from tests.configured import Configured
from tests.processes import WarehouseProcess

REFUSALS = (
    "select service, outcome, sum(item_count) as refused_count from errata_raw.outcomes "
    "where item_type = 'delivery' group by 1, 2 order by 1, 2"
)


@pytest.fixture
def worker(node: IngestNode) -> str:
    return app_key(node, "worker")


def limit(node: IngestNode, service: str, number: int | None, kind: LimitKind = LimitKind.LINES) -> None:
    node.store.ingest_limits.replace(organization(node), "shop", service, {kind: number}, actor="x")


def configure(node: IngestNode, limits: str) -> None:
    """Limits of the project and its services, as a file of configuration has them."""
    text = f"version: 1\nprojects:\n- {{slug: shop, name: Shop, limits: {{{limits}}}}}\n"
    Configured(node.store).apply(text)


def refused(node: IngestNode) -> list[tuple[str, str, int]]:
    return [tuple(row.values()) for row in node.admin.rows(REFUSALS)]


def test_a_service_over_its_limit_is_refused_and_others_are_not(node: IngestNode, worker: str) -> None:
    configure(node, "lines_per_minute: 100, services: {worker: {lines_per_minute: 10}}")
    assert node.deliver(a_line(app_key=worker) * 10)[0] == 200
    status, answer = node.deliver(a_line(app_key=worker) * 3)
    assert (status, answer["error"]) == (429, "rate_limited")
    assert "lines of service worker in project shop" in answer["message"]
    # Whichever key the delivery has.
    assert node.deliver(a_line() * 3, X_Errata_App_Key=worker)[0] == 429
    assert node.deliver(a_line() + a_line(app_key=worker))[0] == 429
    assert node.deliver(a_line() * 5)[0] == 200
    assert node.count(EVENTS) == 15
    assert refused(node) == [("worker", "service_rate_limited", 3)]


def test_lines_of_a_service_count_for_its_project_and_what_it_refuses_for_none(
    node: IngestNode, worker: str
) -> None:
    configure(node, "lines_per_minute: 20, services: {worker: {lines_per_minute: 15}}")
    assert node.deliver(a_line(app_key=worker) * 15)[0] == 200
    for _ in range(4):
        assert node.deliver(a_line(app_key=worker) * 5)[0] == 429
    assert node.deliver(a_line() * 5)[0] == 200
    status, answer = node.deliver(a_line() * 2)
    assert status == 429 and "lines of project shop;" in answer["message"]
    # Another project has a limit of its own, or none; its first delivery records what was refused.
    other = node.store.projects.create(organization(node), "Other", actor="x").app_key.key
    assert node.deliver(a_line() * 50, X_Errata_App_Key=other)[0] == 200
    assert refused(node) == [("", "project_rate_limited", 1), ("worker", "service_rate_limited", 4)]


def test_a_changed_limit_holds_from_the_next_delivery(node: IngestNode, worker: str) -> None:
    limit(node, "worker", 10)
    assert node.deliver(a_line(app_key=worker) * 10)[0] == 200
    assert node.deliver(a_line(app_key=worker) * 8)[0] == 429
    limit(node, "worker", None)
    assert node.deliver(a_line(app_key=worker) * 8)[0] == 200
    limit(node, "worker", 5)
    assert node.deliver(a_line(app_key=worker) * 5)[0] == 429


@pytest.fixture
def nodes(node: IngestNode, warehouse: WarehouseProcess) -> Iterator[list[IngestNode]]:
    ingest = warehouse.client(Role.INGEST)
    settings = ApiSettings(gather_ms=5, lines_per_minute=600)
    apps = [create_app(settings, node.store, ingest, ingest) for _ in range(2)]
    with TestClient(apps[0]) as first, TestClient(apps[1]) as second:
        yield [replace(node, client=client) for client in (first, second)]
    ingest.close()


def test_over_two_nodes_a_service_takes_no_more_than_its_limit_and_nothing_of_the_others(
    nodes: list[IngestNode], worker: str
) -> None:
    limit(nodes[0], "worker", 240)
    statuses = [nodes[number % 2].deliver(a_line(app_key=worker) * 40)[0] for number in range(30)]
    stored = 40 * statuses.count(200)
    # What the minute's tokens and their refill allow, less what each node may have kept.
    assert 240 - 2 * (240 // 60 + 40) <= stored <= 240 + 120
    # The organization's 600 lines are all there, less those that were stored and a share of each node.
    others = [nodes[number % 2].deliver(a_line() * 20)[0] for number in range(30)]
    assert 20 * others.count(200) >= 600 - stored - 2 * (600 // 60 + 40)
    assert nodes[0].count(EVENTS) == stored + 20 * others.count(200)


def test_bytes_over_a_limit_are_refused_whatever_the_count_of_lines(node: IngestNode, worker: str) -> None:
    small, large = a_line(app_key=worker), a_line({"extra": {"text": "x" * 20_000}}, app_key=worker)
    limit(node, "worker", 10_000, LimitKind.BYTES)
    limit(node, "", 100_000, LimitKind.BYTES)
    assert node.deliver(small)[0] == 200
    status, answer = node.deliver(large)
    assert status == 429 and "bytes of service worker in project shop" in answer["message"]
    # What the service may not, the rest of the project may.
    assert node.deliver(a_line({"extra": {"text": "x" * 20_000}}))[0] == 200
    assert node.deliver(a_line() * 3)[0] == 200
    status, answer = node.deliver(a_line({"extra": {"text": "x" * 200_000}}))
    assert status == 429 and "bytes of project shop" in answer["message"]
    found = node.admin.rows("select sum(byte_count) as byte_count from errata_raw.deliveries")
    assert 20_000 + 4 * 200 < found[0]["byte_count"] < 25_000
    assert node.deliver(a_line())[0] == 200
    assert {name for _, name, _ in refused(node)} == {"service_rate_limited", "project_rate_limited"}


def test_spike_protection_refuses_what_it_has_learned_and_nothing_before(node: IngestNode) -> None:
    limit(node, "", NOT_LEARNED, LimitKind.SPIKES)
    assert node.deliver(a_line() * 30)[0] == 200
    [(project_id, learned)] = node.store.ingest_limits.spike_protected().items()
    assert learned == NOT_LEARNED
    node.store.ingest_limits.learn(project_id, 20)
    assert node.deliver(a_line() * 20)[0] == 200
    status, answer = node.deliver(a_line() * 20)
    assert status == 429 and "spike protection of project shop" in answer["message"]
    # Switched on again, it keeps what it knows; switched off, it limits nothing.
    limit(node, "", NOT_LEARNED, LimitKind.SPIKES)
    assert node.deliver(a_line() * 20)[0] == 429
    limit(node, "", None, LimitKind.SPIKES)
    assert node.deliver(a_line() * 20)[0] == 200
    assert refused(node) == [("", "spike_rate_limited", 2)]


PAYLOADS = "select has_payload, payload, user_id, tags from errata_raw.error_events order by has_payload"


def test_in_a_flood_of_one_error_events_keep_their_row_and_lose_their_payload(
    node: IngestNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Both deliveries are of one minute.
    monkeypatch.setattr("api.ingest.payload_limits.MINUTE_SECONDS", 10**9)
    limit(node, "", 3, LimitKind.PAYLOADS)
    other = {"exception": {"values": [{"type": "ValueError", "value": "y"}]}}
    assert node.deliver(b"".join(a_line() for _ in range(4)) + a_line(other))[0] == 200
    assert node.deliver(b"".join(a_line() for _ in range(3)))[0] == 200
    rows = node.admin.rows(PAYLOADS)
    assert [row["has_payload"] for row in rows] == [False] * 4 + [True] * 4
    for row in rows:
        assert row["user_id"] == "7" and row["tags"] == {"plan": "free"}
        assert (row["payload"] == "{}") is not row["has_payload"]
    found = node.admin.rows(
        "select item_type, sum(item_count) as item_count from errata_raw.outcomes "
        "where outcome = 'payload_limited' group by item_type"
    )
    assert found == [{"item_type": "event", "item_count": 4}]
    # Without the limit, all are stored whole again.
    limit(node, "", None, LimitKind.PAYLOADS)
    assert node.deliver(b"".join(a_line() for _ in range(5)))[0] == 200
    assert sum(row["has_payload"] for row in node.admin.rows(PAYLOADS)) == 9
