"""A page says as of when its figures are, and that some are older if a mart's builds lag behind."""

import re

import pytest

from errata.warehouse.roles import Role
from tests.dashboards.conftest import Site
from tests.dashboards.test_live_pages import performance_lines, since_capture
from tests.mart_builds import build_performance
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
