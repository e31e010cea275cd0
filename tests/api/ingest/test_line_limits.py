"""Limits of a project and of a service, below that of the organization, over the real API."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ApiSettings
from errata.warehouse.roles import Role
from tests.api.ingest.conftest import IngestNode
from tests.api.ingest.test_deliver import EVENTS, a_line
from tests.api.ingest.test_services import app_key, organization
from tests.processes import WarehouseProcess

REFUSALS = (
    "select service, outcome, sum(item_count) as refused_count from errata_raw.outcomes "
    "where item_type = 'delivery' group by 1, 2 order by 1, 2"
)


@pytest.fixture
def worker(node: IngestNode) -> str:
    return app_key(node, "worker")


def limit(node: IngestNode, service: str, lines_per_minute: int | None) -> None:
    node.store.line_limits.replace(organization(node), "shop", service, lines_per_minute, actor="x")


def refused(node: IngestNode) -> list[tuple[str, str, int]]:
    return [tuple(row.values()) for row in node.admin.rows(REFUSALS)]


def test_a_service_over_its_limit_is_refused_and_others_are_not(node: IngestNode, worker: str) -> None:
    limit(node, "worker", 10)
    limit(node, "", 100)
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
    limit(node, "", 20)
    limit(node, "worker", 15)
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
