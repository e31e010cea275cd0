"""Causes of vitals: captured loads as the waterfall tells them one by one, whatever the order of arrival."""

from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pytest

from api.ingest.item import Rows
from api.ingest.telemetry import rows_of
from errata.performance.causes import Cause
from errata.performance.filters import Filters
from errata.performance.metric import PAGE_METRICS
from errata.period import Period
from errata.warehouse.queries.performance.causes_of_page import causes_of_page
from errata.warehouse.queries.performance.waterfall import Waterfall, waterfall
from errata.warehouse.roles import Role
from pipelines.build.data_checks import DataChecks
from pipelines.marts.registry import PAGE_CAUSES_DAILY
from tests.captures import GENERATIONS, browser_items, moved_to
from tests.mart_builds import build_marts, in_marts, made_anew
from tests.processes import WarehouseProcess
from tests.warehouse_rows import store

NOW = datetime.now(UTC)
BY = moved_to(NOW)
CAUSES = """
    select
        view_id, navigation_type, cause.metric as metric, cause.element as element, cause.url as url,
        cause.invoker as invoker, cause.file as file, cause.function as function, cause.position as position,
        cause.value as value, cause.is_slow as is_slow, cause.parts as parts
    from errata_mart.page_loads
    array join causes as cause
"""


def captured(*generations: str) -> list[Rows]:
    return [
        rows_of(item, NOW)
        for generation in generations
        for item in browser_items(generation, BY, ("transaction", "span"))
    ]


def known(*values: float | None) -> list[float]:
    return [float("nan") if value is None else value for value in values]


def expected_of(found: Waterfall) -> dict[str, tuple[tuple[object, ...], list[float]]]:
    """By vital: what it is about, and its value and parts."""
    view, frame, inp, lcp = found.view, found.inp_frame, found.inp_parts, found.lcp_parts
    told: dict[str, tuple[tuple[object, ...], list[float]]] = {}
    if view.inp_ms is not None:
        script = (frame.invoker, frame.file, frame.function, frame.position) if frame else ("", "", "", -1)
        parts = known(view.inp_ms, inp.input_delay_ms, inp.processing_ms, inp.presentation_ms)
        told["inp_ms"] = (view.inp_target, "", *script), parts
    if view.lcp_ms is not None:
        parts = known(
            lcp.ttfb_ms, lcp.load_delay_ms, lcp.load_duration_ms, lcp.render_delay_ms, view.lcp_size
        )
        told["lcp_ms"] = (view.lcp_element, view.lcp_url, "", "", "", -1), [view.lcp_ms, *parts]
    if view.cls is not None:
        told["cls"] = (view.cls_sources[0] if view.cls_sources else "", "", "", "", "", -1), [view.cls]
    return told


@pytest.mark.parametrize("generation", GENERATIONS)
def test_causes_of_each_load_are_those_of_its_waterfall(warehouse: WarehouseProcess, generation: str) -> None:
    batches = captured(generation)
    store(warehouse, *reversed(batches))
    build_marts(warehouse, "page_loads")
    store(warehouse, *batches[::2])
    build_marts(warehouse, "page_loads")
    client = warehouse.client(Role.READ)
    rows = client.rows(CAUSES, {"projects": [1]})
    views: dict[int, dict[str, dict[str, Any]]] = {}
    for row in rows:
        own = views.setdefault(row["view_id"], {})
        own[row["metric"]] = row
    assert len(views) >= 10
    for view_id, causes in views.items():
        told = expected_of(waterfall(client, [1], f"{view_id:016x}"))
        assert causes.keys() == told.keys()
        for metric, (names, values) in told.items():
            row = causes[metric]
            columns = ("element", "url", "invoker", "file", "function", "position")
            assert tuple(row[name] for name in columns) == names
            measured = [row["value"], *row["parts"]]
            assert measured == pytest.approx(values, abs=0.002, nan_ok=True)
            rating = PAGE_METRICS[metric].rating
            assert rating is not None and row["is_slow"] == (values[0] > rating[0])
    client.close()


@pytest.mark.slow
def test_each_vital_of_each_load_has_one_cause_and_a_later_part_moves_it(warehouse: WarehouseProcess) -> None:
    batches = captured(*GENERATIONS)
    store(warehouse, *batches[::2])
    build_marts(warehouse, "page_causes_daily")
    store(warehouse, *batches[1::2], *batches[::3])
    build_marts(warehouse, "page_causes_daily")
    marts = ("page_loads", "page_causes_daily")
    assert in_marts(warehouse, marts) == made_anew(warehouse, marts)
    checks = DataChecks(warehouse.client(Role.BUILD), PAGE_CAUSES_DAILY)
    sums = checks.sums()
    assert sums and all(each.built_count == each.expected_count for each in sums)
    assert not checks.missing_windows() and checks.disordered_percentiles() == 0


@pytest.mark.slow
def test_causes_of_a_page_are_counted_alike_from_days_and_from_loads(warehouse: WarehouseProcess) -> None:
    store(warehouse, *captured(*GENERATIONS))
    build_marts(warehouse, "page_causes_daily")
    client = warehouse.client(Role.READ)
    filters = Filters([1], Period("7d"), NOW)
    of_days = causes_of_page(client, filters, "/checkout")
    loads = client.rows(CAUSES + " where page = '/checkout'", {"projects": [1]})
    own = [row for row in loads if row["navigation_type"] == "navigate"]
    for vital in of_days.vitals:
        counted = Counter(
            (row["element"], row["url"], row["invoker"], row["file"], row["function"])
            for row in own
            if row["metric"] == vital.metric
        )
        assert vital.load_count == counted.total() and vital.cause_count == len(counted)
        assert vital.slow_count == sum(row["is_slow"] for row in own if row["metric"] == vital.metric)
        for row in vital.rows:
            assert row.load_count == counted[row.element, row.url, row.invoker, row.file, row.function]
            # Few loads say little.
            assert (row.value.p75 is None) == (row.load_count < 20)
    assert [vital.metric for vital in of_days.vitals] == list(Cause)
    hours = Filters([1], Period("24h"), NOW)
    assert causes_of_page(client, hours, "/checkout").vitals == of_days.vitals
    device = Filters([1], Period("7d"), NOW, device="mobile")
    mobile = causes_of_page(client, device, "/checkout").vitals
    assert 0 < sum(vital.load_count for vital in mobile) < len(own)
    client.close()
