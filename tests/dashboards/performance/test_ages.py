"""A page says as of when its figures are, and that some are older if a mart's builds lag behind."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from errata.warehouse.roles import Role
from tests.dashboards.conftest import Site
from tests.dashboards.test_live_pages import performance_lines, since_capture
from tests.mart_builds import build_marts, build_performance
from tests.pipelines.builder import test_deferral
from tests.processes import WarehouseProcess

LINE = re.compile(r'<p class="as-of".*?</p>', re.S)
MOMENT = re.compile(r'datetime="([^"]*)"')
# The last build once more, as of earlier.
LAGGING = """
    insert into errata_ops.builds
    select * replace (number + 1 as number, watermark - interval 40 minute as watermark)
    from errata_ops.builds
    where mart = {mart:String}
    order by number desc
    limit 1
"""


def moments(site: Site, path: str) -> list[str]:
    page = site.client.get(f"/projects/shop{path}")
    assert page.status_code == 200, path
    line = LINE.search(page.text)
    assert line and ("some figures" in line[0]) == (len(MOMENT.findall(line[0])) == 2)
    return MOMENT.findall(line[0])


@pytest.mark.slow
def test_a_page_tells_its_oldest_figures_and_whether_others_are_newer(
    live_site: Site, warehouse: WarehouseProcess
) -> None:
    live_site.sign_in()
    live_site.deliver(performance_lines(since_capture()))
    build_performance(warehouse)
    alike = {path: moments(live_site, path) for path in ("", "/performance", "/performance/resources")}
    assert {len(told) for told in alike.values()} == {1}
    admin = warehouse.client(Role.ADMIN)
    admin.execute(LAGGING, {"mart": "endpoint_metrics_daily"})
    # Page loads alone are on it.
    assert moments(live_site, "/performance") == alike["/performance"]
    # Days of calls are older than hours of calls.
    oldest, newest = moments(live_site, "/performance?tab=endpoints")
    assert moments(live_site, "") == [oldest, newest]
    told = live_site.client.get("/api/projects/shop/overview").json()["as_of"]
    assert oldest < newest and told[:16] == oldest[:16]
    admin.execute(LAGGING, {"mart": "page_metrics_daily"})
    assert len(moments(live_site, "/performance")) == 2


MARTS = (
    *("page_metrics_daily", "page_metrics_hourly", "weekly_trends", "resource_metrics_daily"),
    *("endpoint_metrics_daily", "endpoint_metrics_hourly"),
)
RECEIVED = """
    select countIf(received_at < {{as_of:DateTime64(6, 'UTC')}}) as before, count() as whole
    from {table}
    where {condition}
"""
LOADS = RECEIVED.format(table="errata_raw.page_views", condition="is_load")
CALLS = RECEIVED.format(table="errata_raw.requests", condition="true")
RESOURCES = RECEIVED.format(table="errata_raw.page_resources", condition="true")


def sum_of(key: str, count: str) -> Callable[[Any], int]:
    return lambda body: sum(row[count] for row in body[key])


# By address of REST: the page with the same figures, what counts them, and what was received.
ANSWERS: dict[str, tuple[str, Callable[[Any], int], str]] = {
    "/performance/pages": ("/performance", sum_of("pages", "view_count"), LOADS),
    "/performance/endpoints": ("/performance?tab=endpoints", sum_of("endpoints", "call_count"), CALLS),
    "/performance/resources": ("/performance/resources", sum_of("resources", "resource_count"), RESOURCES),
    "/performance/trends": ("/performance/trends", sum_of("trends", "view_count"), LOADS),
    "/performance/endpoint?method=GET&path=/x": (
        "/performance/endpoint?method=GET&path=/x",
        sum_of("sides", "call_count"),
        CALLS,
    ),
    "/overview": ("", lambda body: int(body["loads"]["view_count"]), LOADS),
}


def within(path: str) -> str:
    return f"{path}{'&' if '?' in path else '?'}period=14d"


@pytest.mark.slow
def test_rest_and_pages_name_a_moment_before_which_all_is_counted_while_late_rows_wait(
    live_site: Site, warehouse: WarehouseProcess
) -> None:
    ((_, project, *_),) = live_site.store.projects.all()
    late = test_deferral.Site(warehouse, project.id)
    late.arrive(range(2, 8), 6)
    late.arrive([0], 8)
    build_marts(warehouse, *MARTS)
    late.arrive(range(2, 8), 2)
    late.arrive([0], 1)
    began = datetime.now(UTC)
    assert build_marts(warehouse, *MARTS)["page_loads"].waiting
    took = datetime.now(UTC) - began
    client, admin = live_site.sign_in(), warehouse.client(Role.ADMIN)
    for path, (page, count_of, received) in ANSWERS.items():
        answer = client.get(within(f"/api/projects/shop{path}"))
        assert answer.status_code == 200, answer.text
        body = answer.json()
        as_of = datetime.fromisoformat(body["as_of"])
        (row,) = admin.rows(received, {"as_of": as_of})
        assert row["whole"] > count_of(body) >= row["before"] > 0, path
        told = datetime.fromisoformat(f"{moments(live_site, within(page))[0][:19]}+00:00")
        # The page may also read a mart that was built before, of the same builds.
        assert timedelta(0) <= as_of - told < took + timedelta(seconds=1), path
    admin.close()
