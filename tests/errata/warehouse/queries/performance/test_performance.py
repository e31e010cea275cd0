"""Figures of pages and endpoints against a recount in Python, whatever is built and repeated."""

import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from api.ingest.item import Item, Rows
from api.ingest.telemetry import rows_of
from errata.performance.filters import Filters
from errata.period import Period, TimeRange
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance import page_views
from errata.warehouse.queries.performance.endpoints import EndpointRow, all_endpoints, endpoints
from errata.warehouse.queries.performance.page_views import PageRow
from errata.warehouse.roles import Role
from tests.captures import GENERATIONS, an_item, browser_items, moved, moved_to, payloads
from tests.mart_builds import build_endpoint_metrics, build_page_metrics
from tests.periods import period_ago
from tests.processes import WarehouseProcess
from tests.warehouse_rows import store

NAN = float("nan")
PERCENTILES = ("load_ms", "ttfb_ms", "dom_ready_ms", "fcp_ms", "lcp_ms", "cls", "inp_ms")


def everything(now: datetime, earlier: timedelta = timedelta()) -> list[Item]:
    """All captures of browsers and servers, as if taken until now; every other one `earlier`."""
    by = moved_to(now)
    items = [
        item
        for number, generation in enumerate(GENERATIONS)
        for item in browser_items(generation, by - earlier * (number % 2), kinds=("transaction", "span"))
    ]
    items += [
        an_item("transaction", moved(one, by - earlier * (number % 2)))
        for number, one in enumerate(payloads("python_transactions"))
    ]
    items += [
        an_item("span", moved(one["payload"], by), headers=one["headers"])
        for one in payloads("javascript_items")
        if one["headers"]["type"] == "span"
    ]
    return items


def view_key(row: dict[str, Any], loads: list[dict[str, Any]]) -> str | None:
    """The load a part belongs to: by span, or by trace the one that was open."""
    if row["view_id"]:
        same = [load for load in loads if load["view_id"] == row["view_id"]]
    else:
        same = [load for load in loads if load["trace_id"] == row["trace_id"]]
        open_then = [load for load in same if load["started_at_ms"] <= row["started_at_ms"]]
        same = [max(open_then, key=lambda load: load["started_at_ms"])] if open_then else same[:1]
    kinds = ("", None, same[0]["navigation_type"]) if same else ()
    return str(same[0]["item_id"]) if same and row.get("navigation_type") in kinds else None


def recounted(batches: Iterable[Rows], chosen: TimeRange) -> dict[tuple[str, str], Any]:
    """Figures by page and kind of navigation."""
    seen: dict[str, dict[str, Any]] = {}
    for rows in batches:
        for row in rows.get("errata_raw.page_views", []):
            seen.setdefault(row["item_id"], row)
    loads = [row for row in seen.values() if row.get("is_load")]
    parts: dict[str, list[dict[str, Any]]] = {}
    for row in seen.values():
        key = view_key(row, loads)
        if key is not None:
            parts.setdefault(key, []).append(row)
    figures: dict[tuple[str, str], dict[str, list[float]]] = {}
    for load in loads:
        if not is_within(load, chosen):
            continue
        page = figures.setdefault((load["page"], load["navigation_type"]), {})
        for metric, values in figures_of(load, parts[load["item_id"]]).items():
            page.setdefault(metric, []).extend(value for value in values if not np.isnan(value))
    return figures


def is_within(row: dict[str, Any], chosen: TimeRange) -> bool:
    occurred_at = str(row["occurred_at"])
    return f"{chosen.since:%Y-%m-%d %H:%M:%S}" <= occurred_at < f"{chosen.until:%Y-%m-%d %H:%M:%S}"


def figures_of(load: dict[str, Any], parts: list[dict[str, Any]]) -> dict[str, list[float]]:
    def largest(column: str) -> float:
        return max((part[column] for part in parts if column in part), default=NAN)

    started = load["started_at_ms"]
    lcp = [part for part in parts if "lcp_ms" in part]
    spans = sorted(interval for part in parts for interval in part["resource_intervals"])
    covered, reached = 0.0, 0.0
    for start, end in spans:
        covered += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    ttfb = largest("ttfb_ms")
    load_ms = round(largest("load_at_ms") - started, 3)
    is_told = not all(np.isnan(largest(name)) for name in ("ttfb_ms", "response_at_ms", "dom_ready_at_ms"))
    # What had not ended when its span did lasted at least as long.
    if np.isnan(load_ms) and load["navigation_type"] == "navigate" and is_told:
        load_ms = round(largest("duration_ms"), 3)
    return {
        "view": [0.0],
        "load_ms": [load_ms],
        "dom_ready_ms": [round(largest("dom_ready_at_ms") - started, 3)],
        "ttfb_ms": [round(largest("response_at_ms") - started, 3) if np.isnan(ttfb) else ttfb],
        "fcp_ms": [largest("fcp_ms")],
        "lcp_ms": [max(lcp, key=lambda part: part["occurred_at"])["lcp_ms"] if lcp else NAN],
        "cls": [largest("cls")],
        "inp_ms": [largest("inp_ms")],
        "resources_ms": [covered if spans else NAN],
        "api_ms": [call for part in parts for call in part["call_ms"]],
    }


def check_pages(rows: list[PageRow], expected: dict[tuple[str, str], Any]) -> None:
    assert {(row.page, row.navigation_type) for row in rows} == set(expected)
    for row in rows:
        figures = expected[row.page, row.navigation_type]
        assert row.view_count == len(figures["view"]), row
        for metric in PERCENTILES:
            values = figures[metric]
            wanted = list(np.percentile(values, [50, 75, 95])) if values else [None] * 3
            assert list(row[metric]) == pytest.approx(wanted, abs=1e-6), (row, metric)
        covered, calls = figures["resources_ms"], figures["api_ms"]
        assert row.resources_ms == pytest.approx(np.median(covered) if covered else None, abs=0.01)
        assert row.api_ms == pytest.approx(np.mean(calls) if calls else None)
        assert row.api_call_count == len(calls)


def check_endpoints(rows: list[EndpointRow], batches: Iterable[Rows], side: str, chosen: TimeRange) -> None:
    calls = {
        row["item_id"]: row
        for rows_of_item in batches
        for row in rows_of_item.get("errata_raw.requests", [])
        if row["side"] == side and is_within(row, chosen)
    }
    by_endpoint: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for call in calls.values():
        key = (call.get("host", ""), call["method"], call["route"])
        by_endpoint.setdefault(key, []).append(call)
    assert {(row.host, row.method, row.route) for row in rows} == set(by_endpoint)
    for row in rows:
        found = by_endpoint[row.host, row.method, row.route]
        codes = [call["status_code"] for call in found]
        durations = [call["duration_ms"] for call in found]
        assert row.call_count == len(found)
        assert row.success_count == sum(100 <= code < 400 for code in codes)
        assert row.client_error_count == sum(400 <= code < 500 for code in codes)
        assert row.server_error_count == sum(code >= 500 for code in codes)
        assert row.no_answer_count == codes.count(0)
        assert row.error_ratio == pytest.approx(sum(code >= 400 for code in codes) / len(codes))
        assert row.avg_ms == pytest.approx(np.mean(durations))
        assert [row.p50_ms, row.p75_ms, row.p95_ms] == pytest.approx(
            list(np.percentile(durations, [50, 75, 95]))
        )
        assert row.path_example in {call["path"] for call in found}


@pytest.mark.parametrize("period", ["14d", "24h", "40h/20h"])
@pytest.mark.slow
def test_figures_equal_a_recount_whatever_is_built_and_repeated(
    warehouse: WarehouseProcess, period: str
) -> None:
    now = datetime.now(UTC)
    batches = [rows_of(item, now) for item in everything(now, earlier=timedelta(hours=30))]
    early, late = batches[: len(batches) // 2], batches[len(batches) // 2 :]
    client = warehouse.client(Role.READ)
    filters = Filters([1], period_ago(period, now), now)

    def check(built: list[Rows]) -> None:
        check_pages(page_views.pages(client, filters).rows, recounted(built, filters.range))
        for side in ("server", "page"):
            check_endpoints(endpoints(client, filters, side).rows, built, side, filters.range)

    store(warehouse, *early)
    check([])
    build_page_metrics(warehouse)
    build_endpoint_metrics(warehouse)
    check(early)
    for _ in range(2):
        store(warehouse, *late, *early)
    # As of the last build.
    check(early)
    build_page_metrics(warehouse)
    build_endpoint_metrics(warehouse)
    check([*early, *late])
    client.close()


@pytest.mark.slow
def test_figures_stand_still_while_repeats_come_and_builds_run(warehouse: WarehouseProcess) -> None:
    now = datetime.now(UTC)
    batches = [rows_of(item, now) for item in everything(now)]
    store(warehouse, *batches)
    build_page_metrics(warehouse)
    build_endpoint_metrics(warehouse)
    client = warehouse.client(Role.READ)
    filters = Filters([1], Period("14d"), now)

    def figures() -> Any:
        sides = [endpoints(client, filters, side).rows for side in ("server", "page")]
        return page_views.pages(client, filters).rows, sides

    before, ended = figures(), threading.Event()

    def disturb() -> None:
        try:
            for _ in range(3):
                build_page_metrics(warehouse)
                build_endpoint_metrics(warehouse)
                store(warehouse, *batches)
        finally:
            ended.set()

    with ThreadPoolExecutor(1) as other:
        disturbed = other.submit(disturb)
        reads = 0
        while not ended.is_set() or reads < 3:
            assert figures() == before
            reads += 1
        disturbed.result()
    client.close()


@pytest.mark.slow
def test_without_rows_every_answer_is_empty(warehouse: WarehouseProcess) -> None:
    client = warehouse.client(Role.READ)
    filters = Filters([1], Period("14d"), datetime.now(UTC))
    assert page_views.pages(client, filters).as_of is None
    for _ in range(2):
        assert page_views.pages(client, filters).rows == []
        assert page_views.pages_and_overview(client, filters)[1] == []
        assert page_views.trend(client, filters).rows == []
        assert endpoints(client, filters).rows == []
        assert all_endpoints(client, filters) is None
        build_page_metrics(warehouse)
    assert page_views.pages(client, filters).as_of is not None
    client.close()


@pytest.mark.slow
def test_another_project_is_not_counted(warehouse: WarehouseProcess) -> None:
    now = datetime.now(UTC)
    store(warehouse, *[rows_of(item, now) for item in everything(now)])
    build_page_metrics(warehouse)
    build_endpoint_metrics(warehouse)
    client = warehouse.client(Role.READ)
    assert page_views.pages(client, Filters([2], Period("14d"), now)).rows == []
    assert endpoints(client, Filters([2], Period("14d"), now)).rows == []
    client.close()


def a_load(at: datetime, load_ms: float, number: int, **columns: Any) -> Rows:
    """The rows of one page load that took so long."""
    started = at.timestamp() * 1000
    row = {
        "project_id": 1,
        "view_id": number,
        "occurred_at": f"{at:%Y-%m-%d %H:%M:%S}.000",
        "item_id": f"{number:032x}",
        "is_load": True,
        "navigation_type": "navigate",
        "page": "/",
        "started_at_ms": started,
        "load_at_ms": started + load_ms,
    }
    return {"errata_raw.page_views": [row | columns]}


# 25 hours ago is before a period of 24 hours, and on the day in which that begins.
@pytest.mark.parametrize(("period", "hours_before"), [("24h", 25), ("1d", 40)])
@pytest.mark.slow
def test_the_period_before_is_compared_from_twenty_views_on(
    warehouse: WarehouseProcess, period: str, hours_before: int
) -> None:
    now = datetime.now(UTC).replace(hour=12, minute=30)
    earlier = [a_load(now - timedelta(hours=hours_before), 1000, number) for number in range(1, 21)]
    later = [a_load(now - timedelta(hours=2), 1100, number) for number in range(21, 40)]
    store(warehouse, *earlier, *later)
    client = warehouse.client(Role.READ)
    build_page_metrics(warehouse)
    (row,) = page_views.pages(client, Filters([1], Period(period), now)).rows
    assert (row.view_count, row.change_ratio) == (19, None)
    store(warehouse, a_load(now - timedelta(hours=1), 1100, 40))
    build_page_metrics(warehouse)
    (row,) = page_views.pages(client, Filters([1], Period(period), now)).rows
    assert row.view_count == 20
    assert row.change_ratio == pytest.approx(0.1)
    client.close()


@pytest.mark.slow
def test_a_trend_is_by_whole_weeks(warehouse: WarehouseProcess) -> None:
    now = datetime.now(UTC)
    monday = (now - timedelta(days=now.weekday())).replace(hour=0, minute=0, second=0, microsecond=0)
    loads = [a_load(monday - timedelta(days=7) + timedelta(hours=n), 1000 + n, n + 1) for n in range(60)]
    loads += [a_load(monday - timedelta(days=14) + timedelta(hours=n), 500, n + 100) for n in range(30)]
    store(warehouse, *loads)
    build_page_metrics(warehouse)
    client = warehouse.client(Role.READ)
    before, last = page_views.trend(client, Filters([1], Period("2w"), now)).rows
    assert (before.start, before.view_count, before.p75) == ((monday - timedelta(14)).date(), 30, 500)
    assert before.change_ratio is None
    assert last.start == (monday - timedelta(days=7)).date()
    assert last.p75 == pytest.approx(np.percentile(range(1000, 1060), 75))
    assert last.change_ratio == pytest.approx(np.percentile(range(1000, 1060), 75) / 500 - 1)
    client.close()


@pytest.mark.slow
def test_a_week_that_is_not_over_is_compared_with_the_same_hours_of_the_week_before(
    warehouse: WarehouseProcess,
) -> None:
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    monday = today - timedelta(days=today.weekday() + 7)
    wednesday, week = monday + timedelta(days=2, hours=12, minutes=20), timedelta(days=7)
    loads = [a_load(monday + timedelta(hours=n), 1000, n + 1) for n in range(60)]
    loads += [a_load(monday - week + timedelta(hours=n), 500, n + 100) for n in range(60)]
    # What comes later in the week before is slow, and nothing to compare with yet.
    loads += [a_load(monday - week + timedelta(hours=60 + n), 4000, n + 200) for n in range(90)]
    store(warehouse, *loads)
    build_page_metrics(warehouse)
    client = warehouse.client(Role.READ)
    before, last = page_views.trend(client, Filters([1], Period("2w"), wednesday)).rows[-2:]
    assert (before.p75, last.p75) == (4000, 1000)
    assert last.change_ratio == pytest.approx(1.0)
    first_hour = page_views.trend(client, Filters([1], Period("1d"), monday + timedelta(minutes=9))).rows[-1]
    assert first_hour.change_ratio is None
    sunday = Filters([1], Period("2w"), monday - timedelta(minutes=10))
    running, ahead = page_views.trend(client, sunday).rows[-2:]
    assert running.change_ratio is None
    assert ahead.change_ratio == pytest.approx(1000 / 4000 - 1)
    client.close()


@pytest.mark.slow
def test_cells_of_a_thousand_views_keep_a_digest(warehouse: WarehouseProcess) -> None:
    now = datetime.now(UTC)
    values = np.random.default_rng(7).lognormal(7, 0.6, 1500)
    started = now - timedelta(hours=1)
    store(warehouse, *[a_load(started, float(value), n + 1) for n, value in enumerate(values)])
    build_page_metrics(warehouse)
    client: Warehouse = warehouse.client(Role.READ)
    (row,) = page_views.pages(client, Filters([1], Period("7d"), now)).rows
    assert row.view_count == 1500
    assert list(row["load_ms"]) == pytest.approx(list(np.percentile(values, [50, 75, 95])), rel=0.01)
    both, whole = page_views.pages_and_overview(client, Filters([1], Period("7d"), now))
    assert (both.rows, whole) == ([row], [replace(row, page="")])
    again = page_views.pages(client, Filters([1], Period("7d"), now)).rows
    build_page_metrics(warehouse)
    assert page_views.pages(client, Filters([1], Period("7d"), now)).rows == again == [row]
    client.close()


@pytest.mark.slow
def test_parts_whose_load_never_came_are_not_counted(warehouse: WarehouseProcess) -> None:
    now = datetime.now(UTC)
    part = a_load(now, 0, 7, is_load=False, lcp_ms=900.0)
    store(warehouse, part, a_load(now, 500, 8), a_load(now, 0, 8, is_load=False, item_id=f"{9:032x}"))
    build_page_metrics(warehouse)
    client = warehouse.client(Role.READ)
    (row,) = page_views.pages(client, Filters([1], Period("1d"), now)).rows
    assert row.view_count == 1
    client.close()


@pytest.mark.slow
def test_devices_and_browsers_are_told_apart(warehouse: WarehouseProcess) -> None:
    now = datetime.now(UTC)
    kinds = [("desktop", "Firefox"), ("mobile", "Chrome"), ("mobile", "Safari"), ("", "")]
    store(
        warehouse,
        *[
            a_load(now - timedelta(days=n % 3, hours=1), 100.0 * n, n, device=device, browser=browser)
            for n, (device, browser) in enumerate(kinds * 10, 1)
        ],
    )
    build_page_metrics(warehouse)
    client = warehouse.client(Role.READ)
    for device, browser in [("mobile", ""), ("", "Firefox"), ("mobile", "Safari"), ("tablet", "")]:
        own = [
            100.0 * n
            for n, kind in enumerate(kinds * 10, 1)
            if device in ("", kind[0]) and browser in ("", kind[1])
        ]
        rows = page_views.pages(client, Filters([1], Period("7d"), now, device=device, browser=browser)).rows
        assert [row.view_count for row in rows] == ([len(own)] if own else [])
        for row in rows:
            assert list(row["load_ms"]) == pytest.approx(list(np.percentile(own, [50, 75, 95])))
    client.close()
