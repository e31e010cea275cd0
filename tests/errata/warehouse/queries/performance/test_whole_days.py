"""Days of known loads, files and calls; the week before has half as many loads, twice as fast."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from math import nan
from uuid import uuid4

import numpy as np
import pytest

from errata.reports.unended import steps_note
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance.endpoints import endpoints
from errata.warehouse.queries.performance.resources import ALL, Choice, breakdown
from errata.warehouse.queries.performance.whole_days import (
    Days,
    load_time_over,
    loads_of_days,
)
from errata.warehouse.roles import Role
from tests.builders import Row, insert
from tests.mart_builds import build_marts
from tests.processes import WarehouseProcess

DAY = timedelta(days=1)
TODAY = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0)
# A Monday: whole weeks.
SINCE = (TODAY - timedelta(days=TODAY.weekday() + 7)).date()
WEEK = Days(7, SINCE, SINCE + 7 * DAY)
LOADS_MS = [1000.0 + 10 * number for number in range(40)]


def noon(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, 12, tzinfo=UTC)


def a_load(number: int, day: date, load_ms: float, page: str = "/", **values: object) -> Row:
    at = noon(day) + timedelta(seconds=number)
    started = at.timestamp() * 1000
    return {
        "project_id": 7,
        "view_id": number,
        "item_id": uuid4(),
        "occurred_at": at,
        "received_at": at,
        "page": page,
        "environment": "production",
        "release": "shop@1",
        "is_load": True,
        "navigation_type": "navigate",
        "started_at_ms": started,
        "load_at_ms": started + load_ms,
        **values,
    }


def a_file(number: int, view: Row, **values: object) -> Row:
    shared = {name: view[name] for name in ("project_id", "view_id", "occurred_at", "received_at")}
    return {
        **shared,
        "item_id": uuid4(),
        "page": view["page"],
        "environment": view["environment"],
        "release": view["release"],
        "type": "script",
        "url": "https://shop.example/a.js",
        "host": "shop.example",
        "start_us": round(view["started_at_ms"] * 1000),
        "duration_ms": 10.0 * number,
        "transfer_bytes": 100,
        "body_bytes": 200,
        "decoded_bytes": 400,
        **values,
    }


def a_call(number: int, day: date, status: int, **values: object) -> Row:
    at = noon(day) + timedelta(seconds=number)
    return {
        "project_id": 7,
        "item_id": uuid4(),
        "occurred_at": at,
        "received_at": at,
        "side": "server",
        "method": "GET",
        "route": "/cart",
        "environment": "production",
        "release": "shop@1",
        "status_code": status,
        "duration_ms": float(number),
        **values,
    }


@pytest.fixture(scope="module")
def read(warehouse_of_module: WarehouseProcess) -> Iterator[Warehouse]:
    views = [
        a_load(100 + n, SINCE + n % 7 * DAY, ms, "/cart" if n % 4 == 0 else "/")
        for n, ms in enumerate(LOADS_MS)
    ]
    others = [
        *(a_load(300 + n, SINCE - DAY, ms / 2) for n, ms in enumerate(LOADS_MS[:20])),
        a_load(400, SINCE, 9_000, navigation_type="reload"),
        a_load(401, SINCE, 9_000, project_id=8),
        a_load(402, SINCE + 7 * DAY, 9_000),
        a_load(403, SINCE, 9_000, environment="staging", release="shop@2"),
        *(a_load(500 + n, SINCE, 500 + n, project_id=9) for n in range(18)),
        *(a_load(520 + n, SINCE, nan, project_id=9, duration_ms=900.0 + n, ttfb_ms=50.0) for n in range(2)),
    ]
    files = [
        *(a_file(n, view) for n, view in enumerate(views[:4])),
        a_file(
            9, views[0], type="image", url="https://cdn.example/b.png", host="cdn.example", is_cached=True
        ),
        a_file(9, others[1], url="https://shop.example/old.js"),
    ]
    calls = [
        *(a_call(n, SINCE + n % 7 * DAY, (200, 200, 404, 500)[n % 4]) for n in range(8)),
        a_call(900, SINCE, 200, route="/pay", method="POST"),
        a_call(901, SINCE, 200, side="page"),
        a_call(902, SINCE - DAY, 200),
        a_call(903, SINCE + 7 * DAY, 200),
    ]
    ingest = warehouse_of_module.client(Role.INGEST)
    for rows, table in ((views + others, "page_views"), (files, "page_resources"), (calls, "requests")):
        insert(ingest, f"errata_raw.{table}", rows)
    ingest.close()
    build_marts(warehouse_of_module, "page_metrics_daily", "resource_metrics_daily", "endpoint_metrics_daily")
    client = warehouse_of_module.client(Role.READ)
    yield client
    client.close()


def test_loads_of_a_week_are_those_of_its_days_beside_the_week_before(read: Warehouse) -> None:
    found = loads_of_days(read, Days(7, WEEK.since, WEEK.until, "production"))
    assert [(row.page, row.view_count) for row in found.pages] == [("/", 30), ("/cart", 10)]
    together = found.together
    assert together is not None and together.view_count == 40
    assert list(together["load_ms"]) == pytest.approx(list(np.percentile(LOADS_MS, [50, 75, 95])))
    before = np.percentile([ms / 2 for ms in LOADS_MS[:20]], 75)
    assert together.change_ratio == pytest.approx(np.percentile(LOADS_MS, 75) / before - 1)
    cart = [ms for number, ms in enumerate(LOADS_MS) if number % 4 == 0]
    # Ten loads are too few to compare.
    assert found.pages[1]["load_ms"].p75 == pytest.approx(np.percentile(cart, 75))
    assert found.pages[1].change_ratio is None
    assert found.as_of is not None and found.as_of > noon(SINCE)


def test_a_release_and_days_without_loads_are_told_from_all(read: Warehouse) -> None:
    released = loads_of_days(read, Days(7, WEEK.since, WEEK.until, release="shop@2")).together
    assert released is not None and (released.view_count, released["load_ms"].p75) == (1, 9_000)
    empty = loads_of_days(read, Days(7, SINCE - 21 * DAY, SINCE - 14 * DAY))
    assert (empty.together, empty.pages, empty.as_of) == (None, [], None)


def test_load_time_is_told_by_week_and_by_day(read: Warehouse) -> None:
    days = Days(7, SINCE - 7 * DAY, WEEK.until, "production")
    weeks = load_time_over(read, days, 7)
    assert [(row.start, row.sample_count) for row in weeks] == [(SINCE - 7 * DAY, 20), (SINCE, 40)]
    assert weeks[1].p75 == pytest.approx(np.percentile(LOADS_MS, 75))
    by_day = {row.start: row for row in load_time_over(read, days, 1)}
    assert len(by_day) == 8
    thursday = LOADS_MS[3::7]
    assert by_day[SINCE + 3 * DAY].sample_count == len(thursday)
    assert by_day[SINCE + 3 * DAY].p50 == pytest.approx(np.median(thursday))


def test_load_time_has_the_bounds_of_loads_that_never_ended(read: Warehouse) -> None:
    for step_days in (1, 7):
        (step,) = load_time_over(read, Days(9, SINCE, SINCE + 7 * DAY), step_days)
        assert (step.sample_count, step.unended.count, step.unended.load_count) == (20, 2, 20)
        assert step.p50 == step.unended.at_most[0] == 509.5
        assert step.unended.at_most[2] is None and step.p95 is not None and step.p95 >= 900
        assert step.unended.at_least == ("p95",)
        assert steps_note([step.unended]) == (
            "lines are lower bounds, since 2 loads had not finished when reported"
        )
    assert steps_note([step.unended for step in load_time_over(read, WEEK, 1)]) == ""


def test_endpoints_are_those_that_servers_answered_the_most_called_first(read: Warehouse) -> None:
    cart, pay = endpoints(read, WEEK.filters).rows
    assert (cart.route, cart.call_count) == ("/cart", 8)
    assert (cart.success_count, cart.client_error_count, cart.server_error_count) == (4, 2, 2)
    assert (cart.avg_ms, cart.p50_ms, cart.p75_ms) == (3.5, 3.5, 5.25)
    assert (pay.method, pay.route, pay.call_count, pay.p95_ms) == ("POST", "/pay", 1, 900)


def test_files_are_told_by_type_and_by_url(read: Warehouse) -> None:
    told = breakdown(read, WEEK.filters, "", Choice(urls=ALL))
    assert {row.type: row.resource_count for row in told.types} == {"script": 4, "image": 1}
    script = next(row for row in told.urls if row.type == "script")
    assert (script.url, script.host) == ("https://shop.example/a.js", "shop.example")
    assert (script.view_count, script.transfer_bytes, script.body_bytes) == (4, 400, 200)
    assert script.duration_ms.p50 == 15
    assert next(row for row in told.urls if row.type == "image").cached_count == 1
    assert (len(told.urls), told.url_count) == (2, 2)
