"""Every performance table equals a straightforward recount in polars of the same raw rows.

Of captured browsers and servers, and of skewed traffic with cells beyond a thousand samples; all repeated.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.ingest.telemetry import rows_of
from api.settings import ApiSettings
from errata.performance.causes import PARTS
from errata.performance.script import known_script
from errata.state import Store
from errata.warehouse.client import Warehouse
from errata.warehouse.roles import Role
from pipelines.marts.release_impact import judge_releases
from tests import causes_recount
from tests.api.conftest import SECRET, Prepared, copy_of
from tests.captures import GENERATIONS, an_item, browser_items, moved, moved_to, payloads
from tests.cases import each
from tests.causes_recount import NAMES
from tests.mart_builds import build_marts
from tests.polars_recount import (
    REQUEST_COLUMNS,
    RESOURCE_COLUMNS,
    VIEW_COLUMNS,
    calls_counted,
    counted,
    named_beside_others,
    page_samples,
    raw,
    resources_counted,
    resources_of_views,
    weights,
)
from tests.processes import WarehouseProcess
from tests.skewed_traffic import skewed_traffic
from tests.warehouse_rows import store as store_rows

# From so many samples a cell keeps a digest: 1% at most.
DIGESTED, DIGEST_ERROR = 1000, 0.01
DAILY = "arrayReduce('quantilesTDigestMerge(0.5, 0.75, 0.95)', [{state}])"
HOURLY = "[{}]".format(
    ", ".join(f"arrayReduce('quantileTDigestMerge({share})', [{{state}}])" for share in (0.5, 0.75, 0.95))
)
EXACT = "arrayReduce('quantilesExactInclusive(0.5, 0.75, 0.95)', {values})"
# From the loads that ended to the day that stands for the others a digest has nothing to go by.
LEAPING = (pl.col("metric") == "load_at_most_ms") & (pl.col("count") >= DIGESTED)

MARTS = (
    *("page_metrics_daily", "page_metrics_hourly", "resource_metrics_daily"),
    *("endpoint_metrics_daily", "endpoint_metrics_hourly", "weekly_trends", "page_causes_daily"),
)


@dataclass
class Shop:
    client: TestClient
    admin: Warehouse
    samples: pl.DataFrame
    loaded: pl.DataFrame
    causes: pl.DataFrame
    calls: pl.DataFrame

    def rest(self, path: str, table: str = "", /, **parameters: str) -> pl.DataFrame:
        told = {"period": "26w", **parameters}
        answer = self.client.get(f"/api/projects/web-shop/performance/{path}", params=told)
        assert answer.status_code == 200, answer.text
        return pl.DataFrame(answer.json()[table or path], infer_schema_length=None)

    def mart(self, name: str, columns: str, values: str, state: str, digest: str) -> pl.DataFrame:
        percentiles = f"if(empty({values}), {digest.format(state=state)}, {EXACT.format(values=values)})"
        rows = self.admin.columns(f"select {columns}, {percentiles} as percentiles from errata_mart.{name}")
        return with_percentiles(pl.DataFrame(rows, infer_schema_length=None))


def with_percentiles(rows: pl.DataFrame) -> pl.DataFrame:
    named = [
        pl.col("percentiles").list.get(place).cast(pl.Float64).alias(name)
        for place, name in enumerate(("p50", "p75", "p95"))
    ]
    return rows.with_columns(*named).drop("percentiles")


@pytest.fixture(scope="module")
def shop(
    warehouse_of_module: WarehouseProcess,
    prepared: Prepared,
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Shop]:
    store = Store.open(copy_of(prepared, request, tmp_path_factory.mktemp("recount")), SECRET)
    clients = [warehouse_of_module.client(role) for role in (Role.INGEST, Role.READ, Role.ADMIN, Role.BUILD)]
    ingest, read, admin, build = clients
    with TestClient(create_app(ApiSettings(), store, ingest, read)) as client:
        client.headers["Authorization"] = f"Bearer {prepared.account.api_key}"
        fill(warehouse_of_module, client.get("/api/projects").json()["projects"][0]["id"])
        build_marts(warehouse_of_module, *MARTS)
        judge_releases(build, timedelta(0))
        parts = raw(admin, "page_views", VIEW_COLUMNS)
        files = raw(admin, "page_resources", RESOURCE_COLUMNS)
        yield Shop(
            client,
            admin,
            page_samples(parts),
            resources_of_views(files, parts),
            causes_recount.causes(parts, files),
            raw(admin, "requests", REQUEST_COLUMNS),
        )
    for opened in clients:
        opened.close()
    store.close()


def fill(warehouse: WarehouseProcess, project_id: int) -> None:
    now = datetime.now(UTC)
    by = moved_to(now)
    items = [item for one in GENERATIONS for item in browser_items(one, by, ("transaction", "span"))]
    items += [an_item("transaction", moved(one, by)) for one in payloads("python_transactions")]
    batches = [rows_of(item, now) for item in items]
    for row in (row for rows in batches for table in rows.values() for row in table):
        row["project_id"] = project_id
    skewed = skewed_traffic(now, project_id)
    repeated = {table: rows[::7] for table, rows in skewed.items()}
    store_rows(warehouse, *batches, skewed)
    store_rows(warehouse, *batches[::3], repeated)


def agree(
    found: pl.DataFrame,
    own: pl.DataFrame,
    keys: Sequence[str],
    counts: Sequence[str] = ("count",),
    sums: Sequence[str] = ("sum",),
    percentiles: Sequence[str] = ("p50", "p75", "p95"),
    is_digested: pl.Expr = pl.col("count") >= DIGESTED,
) -> pl.DataFrame:
    """The same cells, counts to the last, sums to the rounding, percentiles exact or as near as a digest."""
    named = own.rename({name: f"own_{name}" for name in own.columns if name not in keys})
    both = found.join(named, on=keys, how="full", coalesce=True, nulls_equal=True)
    assert found.height == own.height == both.height > 0
    for name in counts:
        differing = both.filter(pl.col(name).ne_missing(pl.col(f"own_{name}")))
        assert differing.is_empty(), (name, differing)
    error = pl.when(is_digested).then(DIGEST_ERROR).otherwise(1e-9)
    for name, allowed in [(one, pl.lit(1e-9)) for one in sums] + [(one, error) for one in percentiles]:
        value = pl.col(name).cast(pl.Float64).fill_nan(None)
        expected = pl.col(f"own_{name}").cast(pl.Float64)
        off = ((value - expected).abs() > expected.abs() * allowed + 1e-6).fill_null(False)
        differing = both.filter(off | (value.is_null() != expected.is_null()))
        assert differing.is_empty(), (name, differing)
    return both


def has_digests(rows: pl.DataFrame) -> bool:
    return not rows.filter(pl.col("count") >= DIGESTED).is_empty()


DAY_KEYS = ("project_id", "day", "page", "navigation_type", "environment", "release")
DAY = pl.col("at").dt.date().alias("day")


@pytest.mark.slow
def test_page_metrics_daily(shop: Shop) -> None:
    keys = (*DAY_KEYS, "metric")
    columns = f"{', '.join(keys)}, sample_count as count, value_sum as sum"
    found = shop.mart("page_metrics_daily", columns, "values", "value_state", DAILY)
    both = agree(found, counted(shop.samples.with_columns(DAY), keys), keys, percentiles=())
    assert has_digests(both) and both.filter(pl.col("count") == 1).height > 50
    measured = pl.col("metric") != "view"
    own = counted(shop.samples.with_columns(DAY).filter(measured), keys)
    agree(found.filter(measured & ~LEAPING), own.filter(~LEAPING), keys)
    bounds = found.filter(LEAPING).join(own.filter(LEAPING), on=keys, suffix="_own")
    assert not bounds.is_empty() and bounds.filter(pl.col("p95") < pl.col("p95_own") * 0.99).is_empty()


def test_page_metrics_hourly(shop: Shop) -> None:
    keys = ("project_id", "metric", "page", "hour", "environment", "device")
    columns = f"{', '.join(keys)}, sample_count as count, value_sum as sum"
    found = shop.mart("page_metrics_hourly", columns, "values", "value_state", HOURLY)
    samples = pl.concat([shop.samples, weights(shop.loaded)], how="diagonal_relaxed")
    of_loads = samples.filter((pl.col("navigation_type") == "navigate") & (pl.col("metric") != "view"))
    own = counted(of_loads.with_columns(hour=pl.col("at").dt.truncate("1h")), keys).filter(~LEAPING)
    measured = found.filter((pl.col("metric") != "view") & ~LEAPING)
    both = agree(same_moment(measured, "hour"), same_moment(own, "hour"), keys)
    assert has_digests(both)


def same_moment(rows: pl.DataFrame, column: str) -> pl.DataFrame:
    return rows.with_columns(pl.col(column).dt.replace_time_zone(None).cast(pl.Datetime("ms")))


def test_resource_metrics_daily(shop: Shop) -> None:
    cell = (*DAY_KEYS, "type")
    dated = shop.loaded.with_columns(DAY)
    whole = resources_counted(dated.with_columns(url=pl.lit("")), [*cell, "url"])
    own = pl.concat([whole, resources_counted(named_beside_others(dated, cell), [*cell, "url"])])
    assert own.filter(pl.col("url") == "(other)").height > 0
    counts = ("view_count", "cached_count", "sized_count", "blocking_count", "error_count")
    sizes = ("transfer_bytes", "body_bytes", "decoded_bytes")
    columns = (
        f"{', '.join(cell)}, url, resource_count as count, duration_sum_ms as sum, "
        f"blocking_delay_ms as delay_ms, {', '.join((*counts, *sizes))}"
    )
    found = shop.mart("resource_metrics_daily", columns, "durations_ms", "duration_state", DAILY)
    agree(found, own, [*cell, "url"], ("count", *counts, *sizes), ("sum", "delay_ms"))


def test_page_causes_daily(shop: Shop) -> None:
    keys = (*DAY_KEYS, "metric", *NAMES, "part")
    columns = f"{', '.join(keys)}, sample_count as count, slow_count"
    found = shop.mart("page_causes_daily", columns, "values", "value_state", DAILY)
    dated = causes_recount.named_beside_others(shop.causes.with_columns(DAY), [*DAY_KEYS, "metric"])
    slow = dated.group_by(keys).agg(pl.col("is_slow").sum().alias("slow_count"))
    own = counted(dated, keys).join(slow, on=keys)
    both = agree(found, own, keys, counts=("count", "slow_count"), sums=())
    assert has_digests(both) and set(both["metric"]) == {"inp_ms", "lcp_ms", "cls"}
    assert both.filter(pl.col("part") == "processing_ms").height > 10
    assert both.filter(pl.col("element") == "(other)").height > 0


def test_causes_of_a_page_over_rest(shop: Shop) -> None:
    vitals = shop.client.get(
        "/api/projects/web-shop/performance/causes", params={"period": "26w", "page": "/checkout"}
    ).json()["vitals"]
    own = shop.causes.filter((pl.col("page") == "/checkout") & (pl.col("navigation_type") == "navigate"))
    assert {vital["metric"] for vital in vitals} == set(own["metric"])
    for vital in vitals:
        measured = own.filter((pl.col("metric") == vital["metric"]) & (pl.col("part") == "value"))
        assert (vital["load_count"], vital["slow_count"]) == (measured.height, measured["is_slow"].sum())
        last = PARTS[vital["metric"]][-1:]
        whole = own.filter((pl.col("metric") == vital["metric"]) & pl.col("part").is_in(last))
        assert vital["known_count"] == whole.height
        of_vital = own.filter(pl.col("metric") == vital["metric"])
        sent = of_vital.partition_by(NAMES[:5], as_dict=True)
        for cause in vital["causes"]:
            same = [rows for names, rows in sent.items() if names_told(names) == names_in(cause)]
            is_as_counted(cause, pl.concat(same), measured.height)


def names_told(names: tuple[Any, ...]) -> tuple[str, ...]:
    element, url, invoker, file, function = names
    script = known_script(invoker, file, function, 0, None)
    return element, url, invoker, script.file, script.function


def names_in(cause: dict[str, Any]) -> tuple[str, ...]:
    return tuple(cause[name] for name in NAMES[:5])


def is_as_counted(cause: dict[str, Any], rows: pl.DataFrame, measured: int) -> None:
    """Of all builds of a wrapper, which is not told."""
    values = rows.filter(pl.col("part") == "value")["value"]
    assert cause["load_count"] == values.len()
    assert cause["load_ratio"] == pytest.approx(values.len() / measured, abs=1e-4)
    if values.len() < 20:
        assert cause["p75"] is None
        return
    assert cause["p75"] == pytest.approx(values.quantile(0.75, "linear"), rel=DIGEST_ERROR)
    for part in ("ttfb_ms", "load_delay_ms", "render_delay_ms", "processing_ms"):
        known = rows.filter(pl.col("part") == part)["value"]
        if known.len() < 20:
            assert cause[f"{part}_p75"] is None
        else:
            expected = known.quantile(0.75, "linear")
            assert cause[f"{part}_p75"] == pytest.approx(expected, rel=DIGEST_ERROR)


def test_endpoint_metrics_daily_and_hourly(shop: Shop) -> None:
    keys = ("project_id", "day", "side", "host", "method", "route", "environment", "release")
    outcomes = ("success_count", "client_error_count", "server_error_count")
    columns = f"{', '.join((*keys, *outcomes))}, call_count as count, duration_sum_ms as sum"
    daily = shop.mart("endpoint_metrics_daily", columns, "durations_ms", "duration_state", DAILY)
    dated = shop.calls.with_columns(day=pl.col("occurred_at").dt.date())
    both = agree(daily, calls_counted(dated, keys), keys, ("count", *outcomes))
    assert has_digests(both)

    cell = ("project_id", "hour", *keys[2:])
    columns = f"{', '.join((*cell, *outcomes))}, call_count as count, duration_sum_ms as sum"
    hourly = shop.mart("endpoint_metrics_hourly", columns, "durations_ms", "duration_state", HOURLY)
    timed = shop.calls.with_columns(hour=pl.col("occurred_at").dt.truncate("1h"))
    own = calls_counted(timed, cell)
    agree(same_moment(hourly, "hour"), same_moment(own, "hour"), cell, ("count", *outcomes))


def test_weekly_trends(shop: Shop) -> None:
    keys = ("project_id", "week", "page", "navigation_type", "environment", "metric")
    columns = f"{', '.join(keys)}, sample_count as count, value_sum as sum, p50, p75, p95, change_ratio"
    found = pl.DataFrame(
        shop.admin.columns(f"select {columns} from errata_mart.weekly_trends where metric != 'view'"),
        infer_schema_length=None,
    )
    weekly = shop.samples.filter(pl.col("metric") != "view").with_columns(
        week=pl.col("at").dt.date().dt.truncate("1w")
    )
    own = counted(weekly, keys)
    before = own.select(
        *(pl.col(name) for name in keys if name != "week"),
        week=pl.col("week").dt.offset_by("1w"),
        p75_before="p75",
        count_before="count",
    )
    enough = (pl.col("count") >= 20) & (pl.col("count_before") >= 20) & (pl.col("p75_before") > 0)
    own = own.join(before, on=keys, how="left").with_columns(
        change_ratio=pl.when(enough).then(pl.col("p75") / pl.col("p75_before") - 1)
    )
    both = agree(found.filter(~LEAPING), own.filter(~LEAPING), keys)
    told = both.filter(pl.col("change_ratio").is_not_nan())
    assert told.height == own.filter(~LEAPING)["change_ratio"].drop_nulls().len() > 10
    assert ((told["change_ratio"] - told["own_change_ratio"]).abs() < 0.02).all()


def test_release_metrics(shop: Shop) -> None:
    keys = ("project_id", "environment", "release")
    found = pl.DataFrame(
        shop.admin.columns(
            f"select {', '.join(keys)}, view_count as count, load_ms_p50 as p50, load_ms_p75 as p75, "
            "load_ms_p95 as p95, lcp_ms_p75, api_ms from errata_mart.release_metrics"
        ),
        infer_schema_length=None,
    )
    of_loads = shop.samples.filter((pl.col("navigation_type") == "navigate") & (pl.col("release") != ""))
    load, lcp, api = (
        counted(of_loads.filter(pl.col("metric") == metric), keys)
        for metric in ("load_ms", "lcp_ms", "api_ms")
    )
    views = of_loads.filter(pl.col("metric") == "view").group_by(keys).agg(pl.len().alias("count"))
    own = (
        views.join(load.drop("count", "sum"), on=keys, how="left")
        .join(lcp.select(*keys, lcp_ms_p75="p75"), on=keys, how="left")
        .join(api.select(*keys, api_ms=pl.col("sum") / pl.col("count")), on=keys, how="left")
    )
    agree(found, own, keys, sums=("api_ms",), percentiles=("p50", "p75", "p95", "lcp_ms_p75"))


def test_pages_over_http(shop: Shop) -> None:
    keys = ("page", "navigation_type")
    found = shop.rest("pages")
    views = shop.samples.filter(pl.col("metric") == "view").group_by(keys).agg(pl.len().alias("view_count"))
    for metric in ("load_ms", "ttfb_ms", "dom_ready_ms", "fcp_ms", "lcp_ms", "cls", "inp_ms"):
        names = {f"{metric}_{name}": name for name in ("p50", "p75", "p95")}
        own = views.join(counted(shop.samples.filter(pl.col("metric") == metric), keys), on=keys, how="left")
        told = found.select(*keys, "view_count", *names).rename(names)
        agree(told, own, keys, ("view_count",), (), is_digested=pl.col("page") == "/busy")
    api = counted(shop.samples.filter(pl.col("metric") == "api_ms"), keys)
    own = views.join(api.select(*keys, api_ms=pl.col("sum") / pl.col("count")), on=keys, how="left")
    agree(found, own, keys, ("view_count",), ("api_ms",), ())


def test_trends_over_http(shop: Shop) -> None:
    found = shop.rest("trends", metric="lcp_ms")
    weekly = shop.samples.filter(pl.col("navigation_type") == "navigate").with_columns(
        week=pl.col("at").dt.date().dt.truncate("1w").cast(pl.String)
    )
    own = counted(weekly.filter(pl.col("metric") == "lcp_ms"), ["week"])
    views = weekly.filter(pl.col("metric") == "view").group_by("week").agg(pl.len().alias("view_count"))
    told = found.rename({f"lcp_ms_{name}": name for name in ("p50", "p75", "p95")})
    agree(told, own.join(views, on="week"), ["week"], ("view_count",), (), is_digested=pl.lit(True))


@each("side", ["server", "page"])
def test_endpoints_over_http(shop: Shop, side: str) -> None:
    keys = ("method", "route", "host")
    outcomes = ("success_count", "client_error_count", "server_error_count")
    found = shop.rest("endpoints", side=side).rename({"call_count": "count"})
    own = calls_counted(shop.calls.filter(pl.col("side") == side), keys).with_columns(
        avg_ms=pl.col("sum") / pl.col("count")
    )
    told = found.rename({f"{name}_ms": name for name in ("p50", "p75", "p95")})
    agree(told, own, keys, ("count", *outcomes), ("avg_ms",))


def test_resources_over_http(shop: Shop) -> None:
    counts = ("view_count", "count", "cached_count", "sized_count", "blocking_count", "error_count")
    of_loads = shop.loaded.filter(pl.col("navigation_type") == "navigate")
    found = shop.rest("resources").rename({"resource_count": "count"})
    told = found.rename({f"duration_ms_{name}": name for name in ("p50", "p75", "p95")})
    agree(told, resources_counted(of_loads, ["type"]), ["type"], (*counts, "transfer_bytes"), ())


FIGURES = ("p50", "p75", "p95", "p99")


def calls_of_endpoint(shop: Shop, side: str, method: str, route: str) -> pl.DataFrame:
    is_meant = (pl.col("side") == side) & (pl.col("method") == method) & (pl.col("route") == route)
    return shop.calls.filter(is_meant)


def figures(calls: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    p99 = calls.group_by(keys).agg(pl.col("duration_ms").quantile(0.99, interpolation="linear").alias("p99"))
    own = calls_counted(calls, keys).join(p99, on=keys)
    return own.with_columns(avg_ms=pl.col("sum") / pl.col("count"))


@each(
    ("side", "method", "route"),
    [("server", "GET", "/busy"), ("server", "POST", "list_view"), ("page", "GET", "/api/stock/{id}")],
)
def test_one_endpoint_over_http(shop: Shop, side: str, method: str, route: str) -> None:
    outcomes = ("success_count", "client_error_count", "server_error_count")
    names = {"call_count": "count"} | {f"{name}_ms": name for name in FIGURES}
    parameters = {"method": method, "path": route}
    own = calls_of_endpoint(shop, side, method, route)
    told = shop.rest("endpoint", "sides", **parameters).rename(names)
    agree(told, figures(own, ["side"]), ["side"], ("count", *outcomes), ("avg_ms",), FIGURES)
    for period, step in (("26w", "1w"), ("28d", "1d"), ("48h", "1h")):
        start = pl.col("occurred_at").dt.truncate(step).dt.replace_time_zone(None).cast(pl.Datetime("ms"))
        by_step = shop.rest("endpoint/steps", "steps", side=side, period=period, **parameters).rename(names)
        by_step = by_step.with_columns(start=pl.col("start").str.to_datetime("%+", time_unit="ms"))
        starts = by_step["start"].dt.replace_time_zone(None)
        assert starts.is_sorted() and (starts.diff().drop_nulls() == starts[1] - starts[0]).all()
        called = by_step.with_columns(start=starts).filter(pl.col("count") > 0)
        expected = figures(own.with_columns(start=start).filter(pl.col("start") >= starts[0]), ["start"])
        if called.is_empty() and expected.is_empty():
            assert (route, period) == ("/busy", "48h")
            continue
        agree(called, expected, ["start"], ("count", *outcomes), ("avg_ms",), FIGURES)


def test_pages_of_an_endpoint_over_http(shop: Shop) -> None:
    called = raw(shop.admin, "requests", f"{REQUEST_COLUMNS}, view_id")
    loads = shop.samples.filter((pl.col("navigation_type") == "navigate") & (pl.col("metric") == "view"))
    found = shop.rest("endpoint/pages", "pages", method="GET", path="/api/stock/{id}")
    is_meant = (pl.col("side") == "page") & (pl.col("route") == "/api/stock/{id}")
    meant = called.filter(is_meant & (pl.col("method") == "GET"))
    calls = meant.select("view_id", "duration_ms", "status_code").join(
        loads.select("view_id", "page"), on="view_id"
    )
    by_load = calls.group_by("page", "view_id").agg(
        pl.len().alias("call_count"),
        (pl.col("status_code") >= 400).sum().alias("error_count"),
        pl.col("duration_ms").sum(),
    )
    own = (
        counted(by_load, ["page"], "duration_ms")
        .rename({"count": "calling_count", "sum": "spent_ms"})
        .join(by_load.group_by("page").agg(pl.col("call_count", "error_count").sum()), on="page")
        .join(loads.group_by("page").agg(pl.len().alias("load_count")), on="page")
        .with_columns(
            calling_ratio=pl.col("calling_count") / pl.col("load_count"),
            calls_per_load=pl.col("call_count") / pl.col("calling_count"),
        )
    )
    told = found.rename({f"time_ms_{name}": name for name in ("p50", "p75", "p95")})
    counts = ("call_count", "error_count", "calling_count", "load_count")
    agree(told, own, ["page"], counts, ("calling_ratio", "calls_per_load"), is_digested=pl.lit(False))


@each(("side", "route"), [("server", "/busy"), ("page", "/api/stock/{id}")])
def test_slowest_calls_over_http(shop: Shop, side: str, route: str) -> None:
    found = shop.rest("endpoint/calls", "calls", side=side, method="GET", path=route)
    own = calls_of_endpoint(shop, side, "GET", route)["duration_ms"].sort(descending=True)
    assert found["duration_ms"].to_list() == own.head(10).to_list()
    pages = dict(shop.samples.select(pl.format("{}", pl.col("view_id")), "page").iter_rows())
    if side == "page":
        assert found["page"].to_list() == [pages[str(int(view, 16))] for view in found["view_id"]]
    else:
        assert not any(found["view_id"])
