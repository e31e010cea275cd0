"""Recommendations out of captured page loads, against what the browser says of the load that shows each."""

from collections.abc import Iterator
from datetime import UTC, datetime

import numpy as np
import pytest

from api.ingest.telemetry import rows_of
from errata.performance.filters import Filters
from errata.period import Period
from errata.recommendations.measured import percentile
from errata.recommendations.recommendation import Example, Recommendation, Rule
from errata.recommendations.recommended import recommended
from errata.recommendations.slow_endpoint import slow_endpoints
from errata.reports import formats
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance.endpoints import endpoints
from errata.warehouse.queries.performance.page_views import NAVIGATE, pages
from errata.warehouse.queries.performance.refetched import refetched_files
from errata.warehouse.queries.performance.sampled_loads import SampledLoads, sampled_loads
from errata.warehouse.queries.performance.waterfall import Resource, waterfall
from errata.warehouse.roles import Role
from tests.captures import GENERATIONS, browser_items, moved_to, truth
from tests.mart_builds import build_performance
from tests.processes import WarehouseProcess
from tests.warehouse_rows import store

NOW = datetime.now(UTC)
EVERYTHING = Filters([1], Period("7d"), NOW)
TRUTH = {load["pageload_span_id"]: load for load in truth()}


@pytest.fixture(scope="module")
def captured(warehouse_of_module: WarehouseProcess) -> Iterator[Warehouse]:
    batches = [
        rows_of(item, NOW)
        for generation in GENERATIONS
        for item in browser_items(generation, moved_to(NOW), ("transaction", "span"))
    ]
    store(warehouse_of_module, *batches, *batches[:200])
    build_performance(warehouse_of_module)
    client = warehouse_of_module.client(Role.READ)
    yield client
    client.close()


def only(found: list[Recommendation], rule: Rule, subject: str) -> Recommendation:
    (one,) = [each for each in found if each.rule is rule and each.subject == subject]
    return one


def shown(warehouse: Warehouse, example: Example | None) -> list[Resource]:
    """The resources of the waterfall that a recommendation links to which it means."""
    assert example is not None
    found = waterfall(warehouse, [1], example.view_id, example.received_on)
    path = "/" + example.url.partition("://")[2].partition("/")[2]
    return [one for one in found.resources if one.url in (example.url, path)]


@pytest.mark.slow
def test_a_blocking_style_sheet_costs_what_the_browsers_saw_and_its_waterfall_shows_it(
    captured: Warehouse,
) -> None:
    name = "/assets/1.1.0/main-SJ2AGBLD.css"
    delays = [
        max(0.0, min(one["responseEnd"], load["summary"]["fcp"]) - one["startTime"])
        for load in TRUTH.values()
        for one in load["resources"]
        if one["name"].endswith(name) and one["renderBlockingStatus"] == "blocking"
    ]
    found = only(
        recommended(captured, EVERYTHING).rows, Rule.RENDER_BLOCKING, f"http://shop.localhost:8471{name}"
    )
    assert found.load_count == len(delays)
    assert found.saved_ms == pytest.approx(np.percentile(delays, 75), abs=0.2)
    assert found.user_count is not None and 1 < found.user_count <= found.load_count
    (resource,) = shown(captured, found.example)
    assert resource.delay_ms == pytest.approx(found.saved_ms, abs=1)


def test_a_slow_endpoint_is_found_behind_the_slow_checkout(captured: Warehouse) -> None:
    """Release 1.1.0 asked its carriers one after the other."""
    slow = Filters([1], Period("7d"), NOW, release="shop-web@1.1.0")
    observed = SampledLoads(sampled_loads(captured, slow, 100).loads * 3)
    seen = endpoints(captured, slow, "page").rows
    (found, *_) = slow_endpoints(observed.loads, seen, [])
    assert (found.subject, found.page) == ("shop.localhost:8471/api/shipping/quotes", "/checkout")
    asked = next(row for row in seen if row.route == "/api/shipping/quotes")
    assert asked.p75_ms and f"takes {formats.duration(asked.p75_ms)} (p75)" in found.evidence
    (call,) = shown(captured, found.example)
    assert found.saved_ms is not None and found.saved_ms < call.duration_ms
    assert found.example is not None and found.example.view_id in TRUTH


def test_every_recommendation_shows_a_load_that_the_browser_knows(captured: Warehouse) -> None:
    found = recommended(captured, EVERYTHING)
    assert (found.looked_at, found.one_of) == (109, 1) and found.as_of is not None
    rules = {each.rule for each in found.rows}
    assert {Rule.RENDER_BLOCKING, Rule.LARGE_IMAGE, Rule.LARGE_SCRIPTS, Rule.SLOW_ENDPOINT} <= rules
    for each in found.rows:
        assert each.example is not None and each.example.view_id in TRUTH
        assert not each.example.url or shown(captured, each.example)
        if each.rule is Rule.LARGE_IMAGE:
            own = TRUTH[each.example.view_id]["resources"]
            (size,) = {one["encodedBodySize"] for one in own if one["name"] == each.subject}
            assert each.saved_bytes == size - 200_000


def test_loads_looked_at_have_the_vitals_that_pages_count(captured: Warehouse) -> None:
    loads = sampled_loads(captured, EVERYTHING, 109).loads
    for row in pages(captured, EVERYTHING, is_compared=False).rows:
        own = [load for load in loads if load.page == row.page]
        if row.navigation_type != NAVIGATE:
            continue
        assert len(own) == row.view_count
        for metric in ("load_ms", "ttfb_ms", "fcp_ms", "lcp_ms", "cls"):
            values = [value for load in own if (value := getattr(load, metric)) is not None]
            # Loads that had not ended have no load time here, and count there as what they lasted at least.
            if metric == "load_ms" and row.unended.count:
                ended, all_loads = percentile(values, 0.75), row[metric].p75
                assert all_loads is not None and ended <= all_loads
                continue
            assert percentile(values, 0.75) == pytest.approx(row[metric].p75), (row.page, metric)


def test_a_share_of_many_loads_is_told_as_one(captured: Warehouse) -> None:
    every = {load.view_id: load for load in sampled_loads(captured, EVERYTHING, 109).loads}
    share = sampled_loads(captured, EVERYTHING, 109, most=30)
    assert share.one_of == 4 and 15 <= len(share.loads) <= 45
    assert all(every[load.view_id] == load for load in share.loads)
    mobile = sampled_loads(captured, Filters([1], Period("7d"), NOW, device="mobile"), 109).loads
    assert 0 < len(mobile) < 109 and {load.view_id for load in mobile} < set(every)


def test_the_captured_shop_caches_what_its_visitors_have(captured: Warehouse) -> None:
    """Its files are immutable, and its browsers were started with empty caches."""
    assert refetched_files(captured, EVERYTHING, 109, 1).files == []
