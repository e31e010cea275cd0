"""Names beyond a project's bound of a day are stored as `(other)`; those it had before keep working."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.ingest.names import (
    FEW,
    KINDS,
    OTHER,
    REMEMBERED_FOR,
    TABLE,
    NameRegistry,
    SeenName,
    bounds_of,
    rows_of_seen,
)
from api.settings import ApiSettings
from errata.state import Store
from errata.warehouse.client import Row, Warehouse, WarehouseUnavailable
from errata.warehouse.roles import Role
from tests.api.ingest.conftest import IngestNode
from tests.mart_builds import build_performance
from tests.processes import WarehouseProcess

BOUND = 5
SETTINGS = ApiSettings(
    gather_ms=5,
    names_per_day=BOUND,
    releases_per_day=BOUND,
    environments_per_day=BOUND,
    tag_keys_per_day=BOUND,
)
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)


@pytest.fixture
def small_node(warehouse: WarehouseProcess, tmp_path: Path) -> Iterator[IngestNode]:
    store = Store.open(f"sqlite:///{tmp_path / 'state.db'}", b"s" * 48)
    store.migrate()
    account = store.accounts.create_first("Acme", "Shop", "owner@localhost")
    ingest, read, admin = (warehouse.client(role) for role in (Role.INGEST, Role.READ, Role.ADMIN))
    app = create_app(SETTINGS, store, ingest, read)
    with TestClient(app, raise_server_exceptions=False) as client:
        yield IngestNode(client, account, store, admin)
    for connection in (ingest, read, admin):
        connection.close()
    store.close()


def registry(warehouse: WarehouseProcess) -> NameRegistry:
    return NameRegistry(warehouse.client(Role.INGEST), bounds_of(SETTINGS))


def held(names: NameRegistry, *pages: str, at: datetime = NOW, project_id: int = 7) -> list[str]:
    """The pages as they are stored; what is to be remembered is, as the writer does."""
    stored, seen = prepared(names, *pages, at=at, project_id=project_id)
    for table, found in rows_of_seen(seen).items():
        names.warehouse.insert_rows(table, found)
    names.remember(seen)
    return stored


def prepared(
    names: NameRegistry, *pages: str, at: datetime = NOW, project_id: int = 7
) -> tuple[list[str], set[SeenName]]:
    """The pages as they are to be stored, and what is to be remembered then."""
    rows: list[Row] = [{"project_id": project_id, "page": page} for page in pages]
    seen: set[SeenName] = set()
    names.hold(project_id, {"errata_raw.page_views": rows}, at, seen)
    return [row["page"] for row in rows], seen


def names_of(seen: set[SeenName]) -> list[str]:
    return sorted(each.name for each in seen)


def numbered(first: int, last: int) -> list[str]:
    return [f"/page-{number}" for number in range(first, last + 1)]


def a_load(page: str, **values: Any) -> dict[str, Any]:
    now = time.time()
    trace = {"trace_id": uuid4().hex, "span_id": uuid4().hex[:16], "op": "pageload"}
    payload = {
        "event_id": uuid4().hex,
        "transaction": page,
        "transaction_info": {"source": "route"},
        "start_timestamp": now - 2,
        "timestamp": now,
        "contexts": {"trace": trace},
    }
    return {"type": "transaction", "payload": payload | values}


def delivered(node: IngestNode, *lines: dict[str, Any]) -> None:
    status, answer = node.deliver(b"\n".join(map(msgspec.json.encode, lines)))
    assert (status, answer["rejected"]) == (200, [])


def outcomes(node: IngestNode) -> dict[str, int]:
    counted = "select outcome, sum(item_count) as values from errata_raw.outcomes group by outcome"
    return {row["outcome"]: row["values"] for row in node.admin.rows(counted)}


def test_threads_that_begin_a_day_together_have_one_bound(warehouse: WarehouseProcess) -> None:
    names = registry(warehouse)
    with ThreadPoolExecutor(4) as threads:
        for project_id in range(70, 80):
            takes = threads.map(
                lambda first, of=project_id: prepared(names, *numbered(first, first + 9), project_id=of)[0],
                range(0, 80, 10),
            )
            assert len({page for stored in takes for page in stored} - {OTHER}) == BOUND


def test_new_names_beyond_the_bound_are_others(warehouse: WarehouseProcess) -> None:
    names = registry(warehouse)
    assert held(names, *numbered(1, 8), "", "/page-2") == [
        *numbered(1, 5),
        OTHER,
        OTHER,
        OTHER,
        "",
        "/page-2",
    ]
    assert held(names, "/page-6", "/page-5", OTHER) == [OTHER, "/page-5", OTHER]
    assert held(names, "/page-6", project_id=8) == ["/page-6"]


def test_another_process_knows_the_names_of_today(warehouse: WarehouseProcess) -> None:
    held(registry(warehouse), *numbered(1, 4))
    assert held(registry(warehouse), *numbered(3, 7)) == [*numbered(3, 5), OTHER, OTHER]


def test_a_name_is_stored_with_every_batch_until_one_was_stored(warehouse: WarehouseProcess) -> None:
    names = registry(warehouse)
    assert prepared(names, *numbered(1, 3), "/page-1")[0] == [*numbered(1, 3), "/page-1"]
    # On their way they count once, and leave less room for others.
    pages, seen = prepared(names, *numbered(2, 7))
    assert pages == [*numbered(2, 5), OTHER, OTHER]
    assert names_of(seen) == numbered(2, 5)
    names.remember(seen)
    assert prepared(names, *numbered(2, 5)) == (numbered(2, 5), set())
    assert names_of(prepared(names, "/page-1")[1]) == ["/page-1"]


def test_names_of_yesterday_that_are_stored_late_are_none_of_today(warehouse: WarehouseProcess) -> None:
    names = registry(warehouse)
    _, seen = prepared(names, "/page-1", at=NOW - timedelta(days=1))
    prepared(names, "/page-2")
    names.remember(seen)
    assert names_of(prepared(names, "/page-1")[1]) == ["/page-1"]


def test_names_of_a_batch_that_was_not_stored_are_remembered_with_the_next(
    small_node: IngestNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unavailable(*_: object, **__: object) -> None:
        raise WarehouseUnavailable("http://warehouse", "gone")

    line = msgspec.json.encode(a_load("/first", release="shop@1", tags={"shop": "a"}))
    with monkeypatch.context() as patched:
        patched.setattr(Warehouse, "insert_rows", unavailable)
        assert small_node.deliver(line)[0] == 503
    for _ in range(2):
        assert small_node.deliver(line)[0] == 200
    remembered = small_node.admin.rows(f"select kind, name, count() as rows from {TABLE} group by all")
    found = {(row["kind"], row["name"]): row["rows"] for row in remembered}
    assert found.items() >= {("page", "/first"): 1, ("release", "shop@1"): 1}.items()


def test_names_of_the_days_before_are_let_in_and_do_not_count(warehouse: WarehouseProcess) -> None:
    yesterday, names = NOW - timedelta(days=1), registry(warehouse)
    held(names, *numbered(1, 3), at=yesterday)
    # A sender invents names from midnight on.
    assert held(names, *numbered(101, 120)).count(OTHER) == 20 - BOUND
    assert held(names, *numbered(1, 4)) == [*numbered(1, 3), OTHER]
    late = NOW + REMEMBERED_FOR + timedelta(days=2)
    assert held(names, *numbered(1, 6), at=late) == [*numbered(1, 5), OTHER]


def test_of_more_names_than_the_bound_those_of_most_days_are_known(warehouse: WarehouseProcess) -> None:
    names = registry(warehouse)
    for days, invented in ((3, 100), (2, 200), (1, 300)):
        at = NOW - timedelta(days=days)
        held(names, *numbered(1, 2), at=at)
        held(names, *numbered(invented, invented + 20), at=at)
    held(names, *numbered(400, 420))
    assert held(names, *numbered(1, 2)) == numbered(1, 2)


def test_each_kind_has_a_bound_of_its_own(small_node: IngestNode) -> None:
    events = [
        {
            "type": "event",
            "payload": {
                "message": "it broke",
                "release": f"shop@{number}",
                "environment": f"env-{number}",
                "server_name": f"web-{number}",
                "tags": {"shop": "a", f"tag-{number}": "x"},
            },
        }
        for number in range(9)
    ]
    delivered(small_node, *events)
    (row,) = small_node.admin.rows(
        "select uniqExact(release) as releases, uniqExact(environment) as environments,"
        " uniqExact(server_name) as servers, uniqExactArray(mapKeys(tags)) as tag_names,"
        " countIf(mapContains(tags, '(other)')) as with_others, countIf(payload like '%tag-8%') as whole"
        " from errata_raw.error_events"
    )
    assert row == {
        "releases": BOUND + 1,
        "environments": BOUND + 1,
        "servers": BOUND + 1,
        "tag_names": BOUND + 1,
        "with_others": 5,
        "whole": 1,
    }
    assert outcomes(small_node) == {
        "other_release": 4,
        "other_environment": 4,
        "other_server_name": 4,
        "other_tag": 5,
    }


@pytest.mark.slow
def test_a_copy_of_a_line_counts_once_under_its_first_name(
    small_node: IngestNode, warehouse: WarehouseProcess
) -> None:
    line = a_load("/first")
    delivered(small_node, line)
    # A day later, for a process that does not know the name.
    small_node.admin.execute(f"truncate table {TABLE}")
    ingest = warehouse.client(Role.INGEST)
    with TestClient(create_app(SETTINGS, small_node.store, ingest, ingest)) as restarted:
        later = replace(small_node, client=restarted)
        delivered(later, *(a_load(f"/invented-{number}") for number in range(BOUND)))
        delivered(later, line)
    ingest.close()
    stored = small_node.admin.rows("select page, count() as copies from errata_raw.page_views group by page")
    copies = {row["page"]: row["copies"] for row in stored}
    assert (copies["/first"], copies[OTHER]) == (1, 1)
    build_performance(warehouse)
    key = {"Authorization": f"Bearer {small_node.account.api_key}"}
    answer = small_node.client.get("/api/projects/shop/performance/pages", headers=key).json()
    counted = {row["page"]: row["view_count"] for row in answer["pages"]}
    assert counted == {"/first": 1} | {f"/invented-{number}": 1 for number in range(BOUND)}


def test_a_flood_of_names_is_stored_as_one(small_node: IngestNode) -> None:
    for start in range(0, 500, 100):
        delivered(
            small_node, *(a_load(f"/p{number}", release=f"r{number}") for number in range(start, start + 100))
        )
    (row,) = small_node.admin.rows(
        "select uniqExact(page) as pages, uniqExact(release) as releases, count() as loads"
        " from errata_raw.page_views"
    )
    assert row == {"pages": BOUND + 1, "releases": BOUND + 1, "loads": 500}
    remembered = small_node.admin.rows(
        f"select kind, count() as names from {TABLE} group by kind order by kind"
    )
    assert remembered == [{"kind": "page", "names": BOUND}, {"kind": "release", "names": BOUND}]
    # The release twice: of the load and of its span.
    assert outcomes(small_node) == {"other_page": 495, "other_release": 2 * 495}


def test_every_kind_has_a_bound_and_every_table_of_items_its_kinds(small_node: IngestNode) -> None:
    kinds = {kind for columns in KINDS.values() for _, kind in columns} | {"tag"}
    assert set(bounds_of(SETTINGS)) == kinds
    assert FEW > 0
    for table, columns in KINDS.items():
        rows: list[Row] = small_node.admin.rows(f"describe table {table}")
        assert {column for column, _ in columns} <= {row["name"] for row in rows}
