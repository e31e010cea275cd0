"""The performance tables over HTTP, out of captured items in a real warehouse."""

import csv
import io
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import numpy as np
import polars as pl
import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.ingest.telemetry import rows_of
from api.settings import ApiSettings
from errata.routes import template
from errata.state import Store
from errata.warehouse.roles import Role
from tests.api.conftest import Api, Prepared
from tests.captures import GENERATIONS, an_item, browser_items, moved, moved_to, payloads, truth
from tests.mart_builds import build_performance
from tests.processes import WarehouseProcess
from tests.warehouse_rows import store as store_rows

PERFORMANCE = "/api/projects/web-shop/performance"


@pytest.fixture
def shop(warehouse: WarehouseProcess, store: Store, prepared: Prepared) -> Iterator[Api]:
    """A project with the captured page loads and calls of an hour ago."""
    clients = [warehouse.client(Role.INGEST), warehouse.client(Role.READ)]
    app = create_app(ApiSettings(), store, *clients)
    with TestClient(app, raise_server_exceptions=False, follow_redirects=False) as client:
        api = Api(app, client, store, prepared.account)
        (project,) = client.get("/api/projects", headers=api.key).json()["projects"]
        fill(warehouse, project["id"])
        yield api
    for opened in clients:
        opened.close()


def fill(warehouse: WarehouseProcess, project_id: int) -> None:
    now = datetime.now(UTC)
    by = moved_to(now)
    items = [item for one in GENERATIONS for item in browser_items(one, by, ("transaction", "span"))]
    items += [an_item("transaction", moved(one, by)) for one in payloads("python_transactions")]
    batches = [rows_of(item, now) for item in items]
    for rows in batches:
        for table in rows.values():
            for row in table:
                row["project_id"] = project_id
    store_rows(warehouse, *batches)
    build_performance(warehouse)


def table(api: Api, path: str, **parameters: str) -> list[dict[str, Any]]:
    answer = api.client.get(f"{PERFORMANCE}/{path}", params=parameters, headers=api.key)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert set(body) == {path, "as_of"}
    rows: list[dict[str, Any]] = body[path]
    return rows


@pytest.mark.slow
def test_pages_have_the_named_columns_and_keep_navigations_apart(shop: Api) -> None:
    rows = table(shop, "pages")
    names = [f"{m}_p{n}" for m in ("load_ms", "ttfb_ms", "lcp_ms", "cls", "inp_ms") for n in (50, 75, 95)]
    for row in rows:
        assert {"page", "view_count", *names, "resources_ms", "api_ms", "change_ratio"} <= set(row)
    loads = {row["page"]: row for row in rows if row["navigation_type"] == "navigate"}
    assert set(loads) == {"/", "/cart", "/checkout", "/products", "/products/{id}"}
    assert sum(row["view_count"] for row in loads.values()) == 109
    assert loads["/checkout"]["load_ms_p50"] < loads["/checkout"]["load_ms_p95"]
    soft = [row for row in rows if row["navigation_type"] == "soft-navigation"]
    assert [row["page"] for row in soft] == ["/products"]
    assert soft[0]["load_ms_p75"] is None


@pytest.mark.slow
def test_loads_that_never_ended_are_told_and_bound_what_browsers_measured(shop: Api) -> None:
    rows = {row["page"]: row for row in table(shop, "pages") if row["navigation_type"] == "navigate"}
    assert {page: row["load_ms_unended_count"] for page, row in rows.items()} == {
        **{"/": 4, "/products": 1, "/products/{id}": 2},
        **dict.fromkeys(("/cart", "/checkout"), 0),
    }
    for page, row in rows.items():
        loads = [load["summary"]["load"] for load in truth() if template(load["page"]) == page]
        for share in (50, 75, 95):
            told, most = row[f"load_ms_p{share}"], row[f"load_ms_p{share}_at_most"]
            true = np.percentile(loads, share)
            assert told <= true + 0.1 and (most is None or true <= most + 0.1), (page, share)
    # Of the home page's 22 loads the four slowest never ended.
    home = rows["/"]
    assert home["load_ms_p95_at_most"] is None and home["load_ms_p95"] > 1900
    assert home["load_ms_p75"] < home["load_ms_p75_at_most"] < home["load_ms_p75"] * 1.05
    assert home["load_ms_p50"] == home["load_ms_p50_at_most"]
    # By week, too, and for the load time alone.
    (week,) = [row for row in table(shop, "trends", page="/") if row["sample_count"]]
    bounds = ["load_ms_unended_count", *(f"load_ms_p{share}_at_most" for share in (50, 75, 95))]
    assert [week[name] for name in bounds] == [home[name] for name in bounds]
    for row in table(shop, "trends", metric="lcp_ms"):
        assert [row[name] for name in bounds] == [None] * 4


@pytest.mark.slow
def test_filters_narrow_every_table(shop: Api) -> None:
    everywhere = sum(row["view_count"] for row in table(shop, "pages"))
    parts = [
        sum(row["view_count"] for row in table(shop, "pages", environment=environment))
        for environment in ("production", "staging")
    ]
    assert sum(parts) == everywhere and all(parts)
    assert table(shop, "pages", release="shop-web@9.9.9") == []
    assert table(shop, "endpoints", environment="staging", side="page")
    assert table(shop, "pages", environment="' or 1 = 1 --\\\t\n") == []


@pytest.mark.slow
def test_endpoints_tell_the_two_sides_apart(shop: Api) -> None:
    server = {(row["method"], row["route"]): row for row in table(shop, "endpoints")}
    listed = server["POST", "/api/list/{ref}"]
    assert (listed["call_count"], listed["success_count"], listed["error_ratio"]) == (100, 100, 0)
    assert server["POST", "decode_accounts_view"]["server_error_count"] == 3
    assert all(row["host"] == "" for row in server.values())
    page = {(row["method"], row["route"]): row for row in table(shop, "endpoints", side="page")}
    assert page["GET", "/api/session"]["host"] == "shop.localhost:8471"
    assert page["GET", "/api/stock/{id}"]["path_example"].startswith("/api/stock/")
    assert not set(server) & set(page)


@pytest.mark.slow
def test_resources_are_by_type_or_by_url_and_of_one_page_where_that_is_asked(shop: Api) -> None:
    types = {row["type"]: row for row in table(shop, "resources")}
    assert {"script", "style", "image", "font", "api"} <= set(types)
    assert types["style"]["impact"] in ("high", "medium", "low") and types["image"]["impact"] is None
    urls = table(shop, "resources", by="url", page="/checkout", type="script")
    assert urls and all(row["type"] == "script" and "?" not in row["url"] for row in urls)
    assert 0 < sum(row["resource_count"] for row in urls) < types["script"]["resource_count"]
    assert (
        sum(row["resource_count"] for row in table(shop, "resources", by="url", type="script"))
        == (types["script"]["resource_count"])
    )


@pytest.mark.slow
def test_devices_and_browsers_are_counted_apart(shop: Api) -> None:
    for path, column in (("pages", "view_count"), ("resources", "resource_count")):
        everything = sum(row[column] for row in table(shop, path))
        devices = [table(shop, path, device=one) for one in ("desktop", "mobile", "tablet", "bot")]
        assert sum(row[column] for rows in devices for row in rows) == everything
        assert devices[0] and devices[1]
        assert table(shop, path, browser="Netscape") == []


@pytest.mark.slow
def test_trends_are_by_week_with_the_metric_in_the_names(shop: Api) -> None:
    for metric in ("load_ms", "cls"):
        rows = table(shop, "trends", metric=metric, period="4w")
        assert {f"{metric}_p50", f"{metric}_p75", f"{metric}_p95", "week", "change_ratio"} <= set(rows[0])
        assert sum(row["view_count"] for row in rows) == 109
    checkout = table(shop, "trends", page="/checkout")
    assert 0 < sum(row["view_count"] for row in checkout) < 109


@pytest.mark.parametrize("path", ["pages", "endpoints", "trends", "resources"])
@pytest.mark.slow
def test_csv_and_parquet_have_the_same_rows(shop: Api, path: str) -> None:
    answer = shop.client.get(f"{PERFORMANCE}/{path}", params={"format": "csv"}, headers=shop.key)
    assert answer.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    expected = table(shop, path)
    assert len(rows) == len(expected) and set(rows[0]) == set(expected[0])
    for read, row in zip(rows, expected, strict=True):
        assert {name: "" if value is None else str(value) for name, value in row.items()} == read
    file = shop.client.get(f"{PERFORMANCE}/{path}", params={"format": "parquet"}, headers=shop.key)
    assert file.headers["content-type"] == "application/vnd.apache.parquet"
    assert file.headers["content-disposition"].endswith('.parquet"')
    frame = pl.read_parquet(io.BytesIO(file.content))
    assert expected and set(frame.columns) == set(expected[0])
    typed = frame.with_columns(pl.col(pl.Date).cast(pl.String)).to_dicts()
    assert typed == [{name: row[name] for name in frame.columns} for row in expected]
    assert all(kind == pl.Int64 for name, kind in frame.schema.items() if name.endswith("_count"))
    assert all(kind == pl.Float64 for name, kind in frame.schema.items() if name.endswith(("_p75", "_ratio")))


@pytest.mark.parametrize(
    "query", ["period=0d", "period=800d", "period=x", "format=xml", "side=neither", "metric=nothing"]
)
def test_a_wrong_parameter_is_a_400(api: Api, query: str) -> None:
    path = {"side": "endpoints", "metric": "trends"}.get(query.partition("=")[0], "pages")
    assert api.error(400, "GET", f"{PERFORMANCE}/{path}?{query}", headers=api.key) == "invalid_parameter"


def test_tables_need_a_key_a_known_project_and_the_warehouse(api: Api) -> None:
    for path in ("pages", "endpoints", "trends", "resources"):
        assert api.error(401, "GET", f"{PERFORMANCE}/{path}") == "invalid_api_key"
        other = f"/api/projects/other/performance/{path}"
        assert api.error(404, "GET", other, headers=api.key) == "project_not_found"
        away = api.error(503, "GET", f"{PERFORMANCE}/{path}", headers=api.key)
        assert away == "warehouse_unavailable"
