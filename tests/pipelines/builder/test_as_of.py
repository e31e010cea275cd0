"""What is said to be counted is counted: answers name the moment of late rows that still wait."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from uuid import uuid4

import pytest

from errata.clock import EPOCH
from errata.performance.filters import Filters
from errata.period import Period
from errata.warehouse.client import Warehouse
from errata.warehouse.published import Build, Late, ages_read, one_snapshot
from errata.warehouse.queries.performance import endpoints, page_views, resources, whole_days
from errata.warehouse.queries.performance.releases import as_of_releases, releases
from errata.warehouse.queries.performance.shifts import shifts
from errata.warehouse.queries.progress import last_build
from errata.warehouse.roles import Role
from pipelines.marts.change_points import find_change_points
from pipelines.marts.release_impact import judge_releases
from tests.mart_builds import build_marts
from tests.page_loads import RELEASED, deliver, loads
from tests.pipelines.builder.test_deferral import Site
from tests.processes import WarehouseProcess

AT_ONCE, WEEK = timedelta(0), timedelta(days=7)
NOON = datetime.fromisoformat("2026-09-15T12:00:00+00:00")
MARTS = (
    *("page_metrics_daily", "page_metrics_hourly", "weekly_trends", "resource_metrics_daily"),
    *("endpoint_metrics_daily", "endpoint_metrics_hourly", "page_causes_daily"),
)
RECEIVED = """
    select count() as count from {table}
    where received_at < {{as_of:DateTime64(6, 'UTC')}} and {condition}
"""
LOADS = RECEIVED.format(table="errata_raw.page_views", condition="is_load")
CALLS = RECEIVED.format(table="errata_raw.requests", condition="true")
RESOURCES = RECEIVED.format(table="errata_raw.page_resources", condition="true")
Told = tuple[int, datetime | None]


def all_pages(client: Warehouse, filters: Filters) -> Told:
    found = page_views.pages(client, filters)
    return sum(row.view_count for row in found.rows), found.as_of


def days_of_loads(client: Warehouse, filters: Filters) -> Told:
    found = page_views.trend(client, filters, "load_ms", by="day")
    return sum(row.view_count for row in found.rows), found.as_of


def loads_of_report(client: Warehouse, filters: Filters) -> Told:
    since = filters.range.since.date()
    found = whole_days.loads_of_days(
        client, whole_days.Days(1, since, filters.now.date() + timedelta(days=1))
    )
    return sum(row.view_count for row in found.pages), found.as_of


def all_calls(client: Warehouse, filters: Filters) -> Told:
    found = endpoints.endpoints(client, filters)
    return sum(row.call_count for row in found.rows), found.as_of


def all_resources(client: Warehouse, filters: Filters) -> Told:
    found = resources.by_type(client, filters)
    return sum(row.resource_count for row in found.rows), found.as_of


@pytest.fixture
def late_site(warehouse: WarehouseProcess) -> Site:
    """Days that the marts know, of which most got rows that wait."""
    site = Site(warehouse)
    site.arrive(range(2, 8), 6)
    site.arrive([0], 8)
    build_marts(warehouse, *MARTS)
    site.arrive(range(2, 8), 2)
    site.arrive([0], 1)
    reports = build_marts(warehouse, *MARTS)
    assert reports["page_loads"].waiting and reports["endpoint_metrics_daily"].waiting
    return site


@pytest.mark.slow
def test_all_received_before_the_moment_that_an_answer_names_is_counted(
    warehouse: WarehouseProcess, late_site: Site
) -> None:
    client, admin = warehouse.client(Role.READ), warehouse.client(Role.ADMIN)
    filters = Filters([1], Period("14d"), late_site.now)
    asked: list[tuple[Callable[[Warehouse, Filters], Told], str]] = [
        (all_pages, LOADS),
        (days_of_loads, LOADS),
        (loads_of_report, LOADS),
        (all_calls, CALLS),
        (all_resources, RESOURCES),
    ]
    for ask, received in asked:
        with one_snapshot():
            told, as_of = ask(client, filters)
            ages = ages_read()
        assert as_of and ages and ages.oldest <= as_of, ask.__name__
        (row,) = admin.rows(received, {"as_of": as_of})
        assert told >= row["count"] > 0, ask.__name__
        # Of the whole there is more.
        (row,) = admin.rows(received, {"as_of": datetime.max.replace(tzinfo=as_of.tzinfo, year=2100)})
        assert told < row["count"], ask.__name__
    client.close()
    admin.close()


@pytest.mark.slow
def test_answers_that_lack_nothing_name_the_build_itself(
    warehouse: WarehouseProcess, late_site: Site
) -> None:
    client = warehouse.client(Role.READ)
    today = Filters([1], Period("24h"), late_site.now)
    others = Filters([2], Period("14d"), late_site.now)
    through = last_build(client, {"projects": [2]}, "page_metrics_daily").through
    for filters in (today, others):
        assert page_views.pages(client, filters, is_compared=False).as_of == through
    assert page_views.pages(client, Filters([1, 2], Period("14d"), late_site.now)).as_of != through
    while any(report.waiting for report in build_marts(warehouse, *MARTS).values()):
        late_site.arrive([0], 1)
    late = Filters([1], Period("14d"), late_site.now)
    assert page_views.pages(client, late).as_of == last_build(client, {}, "page_metrics_daily").through
    client.close()


@pytest.mark.slow
def test_shifts_are_as_of_what_they_counted_whatever_is_counted_since(
    warehouse: WarehouseProcess, late_site: Site
) -> None:
    builder, client = warehouse.client(Role.BUILD), warehouse.client(Role.READ)
    find_change_points(builder, AT_ONCE)
    counted = page_views.pages(client, Filters([1], Period("90d"), late_site.now)).as_of
    through = last_build(client, {"projects": [2]}, "page_metrics_daily").through
    assert shifts(client, 1, "production").as_of == counted and counted and through and counted < through
    while any(report.waiting for report in build_marts(warehouse, *MARTS).values()):
        late_site.arrive([0], 1)
    assert shifts(client, 1, "production").as_of == counted
    builder.close()
    client.close()


@pytest.mark.slow
def test_releases_are_as_of_what_they_counted_until_they_are_judged_again(
    warehouse: WarehouseProcess,
) -> None:
    builder, client = warehouse.client(Role.BUILD), warehouse.client(Role.READ)
    deliver(warehouse, loads("shop@1.0", RELEASED - WEEK, 60), loads("shop@1.1", RELEASED, 60, seed=2))
    received = datetime.now(UTC)
    late, (today, _) = loads("shop@1.1", RELEASED, 9, seed=3), loads("shop@1.1", received, 1, seed=4)
    deliver(
        warehouse, [{**row, "received_at": received} for row in (*late, {**today, "occurred_at": received})]
    )
    judge_releases(builder, AT_ONCE)
    # All of what waits is built where nothing recent came.
    deliver(warehouse, [{**late[0], "item_id": uuid4(), "received_at": datetime.now(UTC)}])
    judge_releases(builder, AT_ONCE)
    rows = releases(client, 7, EPOCH)
    assert len(rows) == 2 and not any(row.is_counting for row in rows)
    assert all(row.as_of <= received < row.built_through for row in rows)
    assert as_of_releases(rows) == min(row.as_of for row in rows)
    builder.close()
    client.close()


def test_a_build_lacks_late_rows_of_the_asked_projects_and_days_alone() -> None:
    first = NOON - timedelta(hours=1)
    build = Build("", NOON, [Late(1, date(2026, 9, 10), first)])
    assert build.as_of({"projects": [1, 2], "since": date(2026, 9, 10)}) == first
    assert build.as_of({"project_id": 1}) == first
    assert build.as_of({"project_id": 1, "since": NOON - timedelta(days=4), "until": NOON}) == NOON
    assert build.as_of({"project_id": 2}) == NOON
    assert Build("", None).as_of({"project_id": 1}) is None
