"""Which calls of browsers an endpoint of a server has, and which page load made a call that it answered."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from errata.performance.filters import Filters
from errata.period import Period
from errata.warehouse.queries.performance.endpoint_detail import (
    NO_CALLS,
    SideFigures,
    find_endpoint,
    path_pattern,
    sides,
    slowest_calls,
)
from errata.warehouse.queries.performance.endpoints import endpoints_of_both
from errata.warehouse.roles import Role
from tests.cases import each
from tests.mart_builds import build_performance
from tests.processes import WarehouseProcess
from tests.warehouse_rows import store

NOW = datetime.now(UTC)
AT = f"{NOW - timedelta(minutes=5):%Y-%m-%d %H:%M:%S}.000"
TRACE = str(UUID(int=7))


def call(number: int, side: str, route: str, **values: Any) -> dict[str, Any]:
    return {
        "project_id": 1,
        "occurred_at": AT,
        "item_id": str(UUID(int=number)),
        "side": side,
        "method": "GET",
        "route": route,
        "path": route,
        "status_code": 200,
        "duration_ms": float(number),
    } | values


@pytest.mark.slow
def test_paths_that_browsers_called_are_of_the_most_particular_route(warehouse: WarehouseProcess) -> None:
    page = {"host": "shop.example", "trace_id": TRACE}
    calls = [
        call(1, "server", "/stock/:sku"),
        call(2, "server", "/stock/:sku", trace_id=TRACE, parent_span_id=9, status_code=500, release="api@2"),
        call(3, "server", "/stock/featured"),
        call(4, "page", "/stock/rug", **page, span_id=9, view_id=5, release="web@1"),
        call(5, "page", "/stock/{id}", **page),
        call(6, "page", "/stock/featured", **page),
        call(7, "page", "/stock/rug/reviews", **page),
        call(8, "page", "/stock/rug", **page, method="POST"),
    ]
    view = {
        "project_id": 1,
        "occurred_at": AT,
        "item_id": str(UUID(int=99)),
        "is_load": True,
        "navigation_type": "navigate",
        "page": "/product",
        "view_id": 5,
        "trace_id": TRACE,
        "device": "mobile",
        "started_at_ms": NOW.timestamp() * 1000,
    }
    store(warehouse, {"errata_raw.requests": calls, "errata_raw.page_views": [view]})
    build_performance(warehouse)
    reader = warehouse.client(Role.READ)
    filters = Filters([1], Period("7d"), NOW)

    endpoint, routes = find_endpoint(reader, filters, "", "/stock/:sku")
    assert (endpoint.method, routes.server, routes.hosts) == ("GET", ("/stock/:sku",), ("shop.example",))
    assert set(routes.page) == {"/stock/rug", "/stock/{id}"} and routes.methods == ("GET", "POST")
    figures = {one.side: one.now for one in sides(reader, filters, endpoint, routes).rows}
    assert (figures["server"].call_count, figures["server"].error_ratio) == (2, 0.5)
    assert (figures["page"].call_count, figures["page"].avg_ms) == (2, 4.5)
    found = slowest_calls(reader, replace_release(filters), endpoint, routes, "server").rows
    assert [(one.duration_ms, one.view_id, one.page, one.device) for one in found] == [
        (2.0, f"{5:016x}", "/product", "mobile")
    ]
    # All endpoints: as servers responded, and what no server reports as browsers measured.
    listed = endpoints_of_both(reader, filters).rows
    assert {(one.side, one.method, one.route, one.host) for one in listed} == {
        ("server", "GET", "/stock/:sku", ""),
        ("server", "GET", "/stock/featured", ""),
        ("page", "GET", "/stock/rug/reviews", "shop.example"),
        ("page", "POST", "/stock/rug", "shop.example"),
    }
    featured = find_endpoint(reader, filters, "GET", "/stock/featured")[1]
    assert (featured.server, featured.page) == (("/stock/featured",), ("/stock/featured",))
    reader.close()


@each(
    ("now", "before", "change"),
    [(40, 20, 1.0), (18, 40, None), (36, 1, None)],
    ids=["enough in both", "few now", "few before"],
)
def test_a_change_needs_enough_calls_in_both_periods(now: int, before: int, change: float | None) -> None:
    figures = SideFigures("page", replace(NO_CALLS, call_count=now), replace(NO_CALLS, call_count=before))
    assert figures.change("call_count") == change
    assert figures.is_comparable == (change is not None)


def test_a_count_under_twenty_is_no_base_of_a_change() -> None:
    now, before = (replace(NO_CALLS, call_count=400, server_error_count=count) for count in (38, 2))
    assert SideFigures("server", now, before).change("server_error_count") is None
    assert SideFigures("server", now, now).change("server_error_count") == 0.0


def replace_release(filters: Filters) -> Filters:
    """The page has a release of its own, and is found all the same."""
    return Filters(filters.projects, filters.period, filters.now, release="api@2")


@each(
    ("route", "pattern"),
    [
        ("/orders/{id}", "^/orders/[^/]+/?$"),
        ("/files/<path:name>.json", "^/files/[^/]+/?$"),
        ("/v1.0/:id/", "^/v1\\.0/[^/]+/?$"),
        ("/", "^/?$"),
        ("list_view", ""),
    ],
)
def test_the_pattern_of_the_paths_of_a_route(route: str, pattern: str) -> None:
    assert path_pattern(route) == pattern
