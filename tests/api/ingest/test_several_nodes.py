"""Limits over two nodes that share a state store."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.ingest.variants import NEW_VARIANTS, SHARE
from api.settings import ApiSettings
from errata.warehouse.roles import Role
from tests.api.ingest.conftest import IngestNode
from tests.api.ingest.test_deliver import EVENTS, a_line
from tests.processes import WarehouseProcess

PER_MINUTE = 600


@pytest.fixture
def nodes(node: IngestNode, warehouse: WarehouseProcess) -> Iterator[list[IngestNode]]:
    ingest = warehouse.client(Role.INGEST)
    settings = ApiSettings(gather_ms=5, lines_per_minute=PER_MINUTE)
    apps = [create_app(settings, node.store, ingest, ingest) for _ in range(2)]
    with TestClient(apps[0]) as first, TestClient(apps[1]) as second:
        yield [replace(node, client=client) for client in (first, second)]
    ingest.close()


@pytest.mark.slow
def test_two_nodes_store_no_more_lines_than_one_may(nodes: list[IngestNode]) -> None:
    statuses = [nodes[number % 2].deliver(a_line() * 50)[0] for number in range(40)]
    stored = 50 * statuses.count(200)
    assert set(statuses) == {200, 429}
    # What the minute's tokens and their refill allow, less what each node may have kept.
    assert PER_MINUTE - 2 * (PER_MINUTE // 60 + 50) <= stored <= PER_MINUTE + PER_MINUTE // 2
    assert nodes[0].count(EVENTS) == stored


@pytest.mark.slow
def test_two_nodes_store_no_more_new_variants_than_one_may(
    node: IngestNode, warehouse: WarehouseProcess
) -> None:
    ingest = warehouse.client(Role.INGEST)
    apps = [create_app(ApiSettings(gather_ms=5), node.store, ingest, ingest) for _ in range(2)]
    with TestClient(apps[0]) as first, TestClient(apps[1]) as second:
        for node_number, client in enumerate((first, second)):
            names = (f"{'ab'[node_number]}{in_letters(number)}" for number in range(NEW_VARIANTS.most))
            body = b"".join(map(error_in, names))
            assert replace(node, client=client).deliver(body)[0] == 200
    ingest.close()
    rows = node.admin.rows("select uniqExact(variant_hash) as variant_count from errata_raw.error_events")
    variant_count = int(rows[0]["variant_count"])
    # One more takes what is over the limit, and some tokens come back while the test runs.
    assert NEW_VARIANTS.most - SHARE <= variant_count <= NEW_VARIANTS.most + 1 + SHARE
    assert node.count(EVENTS) == 2 * NEW_VARIANTS.most


def in_letters(number: int) -> str:
    """Digits of names are left out of a shape."""
    return "".join("abcdefghij"[int(digit)] for digit in f"{number:04}")


def error_in(function: str) -> bytes:
    frames = [{"function": function, "filename": "shop.py", "lineno": 3, "in_app": True}]
    error = {"type": "KeyError", "value": "x", "stacktrace": {"frames": frames}}
    return a_line({"exception": {"values": [error]}})
