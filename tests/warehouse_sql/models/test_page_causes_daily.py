"""Causes of vitals: captured loads as the waterfall tells them one by one, whatever the order of arrival."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from math import isnan
from typing import Any

import pytest

from api.ingest.item import Rows
from api.ingest.telemetry import rows_of
from errata.performance.causes import PARTS, Cause
from errata.performance.filters import Filters
from errata.performance.metric import PAGE_METRICS
from errata.performance.script import known_script
from errata.period import Period
from errata.warehouse.queries.performance.causes_of_page import causes_of_page
from errata.warehouse.queries.performance.waterfall import Waterfall, waterfall
from errata.warehouse.roles import Role
from pipelines.builder.data_checks import DataChecks
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


def named(row: dict[str, Any]) -> tuple[object, ...]:
    """What readers tell of a cause. The mart keeps what the browser said: source maps may arrive later."""
    script = known_script(row["invoker"], row["file"], row["function"], row["position"], None)
    return row["element"], row["url"], row["invoker"], script.file, script.function, script.position


@pytest.mark.slow
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
            assert named(row) == names
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
    of_days = causes_of_page(client, filters, "/checkout", limit=1000)
    loads = client.rows(CAUSES + " where page = '/checkout'", {"projects": [1]})
    own = [row for row in loads if row["navigation_type"] == "navigate"]
    for vital in of_days.vitals:
        counted = Counter(named(row) for row in own if row["metric"] == vital.metric)
        assert vital.load_count == counted.total() and vital.cause_count == len(counted)
        assert vital.slow_count == sum(row["is_slow"] for row in own if row["metric"] == vital.metric)
        whole = [row["parts"] for row in own if row["metric"] == vital.metric and PARTS[vital.metric]]
        # The LCP's area comes after its parts.
        known_parts = [parts[: len(PARTS[vital.metric])] for parts in whole]
        assert vital.known_count == sum(not any(map(isnan, parts)) for parts in known_parts)
        for row in vital.rows:
            names = (row.element, row.url, row.invoker, row.file, row.function, row.position)
            assert row.load_count == counted[names]
            # Few loads say little.
            assert (row.value.p75 is None) == (row.load_count < 20)
    assert [vital.metric for vital in of_days.vitals] == list(Cause)
    hours = Filters([1], Period("24h"), NOW)
    assert causes_of_page(client, hours, "/checkout", limit=1000).vitals == of_days.vitals
    device = Filters([1], Period("7d"), NOW, device="mobile")
    mobile = causes_of_page(client, device, "/checkout").vitals
    assert 0 < sum(vital.load_count for vital in mobile) < len(own)
    client.close()


@pytest.mark.slow
def test_elements_beyond_the_thirty_most_frequent_of_a_cell_share_a_name(warehouse: WarehouseProcess) -> None:
    at = NOW - timedelta(days=1)
    views = [
        {
            "project_id": 1,
            "view_id": number + 1,
            "item_id": f"{number + 1:032x}",
            "occurred_at": f"{at:%Y-%m-%d %H:%M:%S}",
            "is_load": True,
            "navigation_type": "navigate",
            "page": "/",
            "started_at_ms": at.timestamp() * 1000,
            "cls": 0.2,
            # The first is in most views.
            "cls_sources": [f"p.of-{max(0, number - 20):02d}"],
        }
        for number in range(60)
    ]
    store(warehouse, {"errata_raw.page_views": views})
    build_marts(warehouse, "page_causes_daily")
    rows = warehouse.client(Role.READ).rows(
        "select element, sample_count, slow_count from errata_mart.page_causes_daily "
        "order by sample_count desc, element",
        {"projects": [1]},
    )
    assert len(rows) == 31
    assert rows[0] == {"element": "p.of-00", "sample_count": 21, "slow_count": 21}
    assert rows[1] == {"element": "(other)", "sample_count": 10, "slow_count": 10}


@pytest.mark.slow
def test_a_frame_that_no_interaction_waited_for_explains_none(warehouse: WarehouseProcess) -> None:
    """A frame before the interaction, a short one, another script, and the one that was waited for."""
    at = NOW - timedelta(days=1)
    start = round(at.timestamp() * 1000)
    clicked = start + 3000
    frames = {
        "before": (clicked - 400, 350, "BUTTON.onclick", "event-listener"),
        "short": (clicked + 10, 80, "BUTTON.onclick", "event-listener"),
        "script": (clicked - 50, 280, "http://shop.example/a.js", "classic-script"),
        "moved": (clicked + 5, 280, "#document.onmousemove", "event-listener"),
        "own": (clicked + 40, 250, "BUTTON.onclick", "event-listener"),
    }
    names = ("start_ms", "duration_ms", "invoker", "invoker_type")
    views = [
        {
            "project_id": 1,
            "view_id": number + 1,
            "item_id": f"{number + 1:032x}",
            "occurred_at": f"{at:%Y-%m-%d %H:%M:%S}",
            "is_load": True,
            "navigation_type": "navigate",
            "page": "/",
            "started_at_ms": start,
            "inp_ms": 300.0,
            "inp_at_ms": clicked,
            "inp_target": name,
            "frames": [dict(zip(names, frame, strict=True)) | {"file": "", "function": "", "position": -1}],
        }
        for number, (name, frame) in enumerate(frames.items())
    ]
    store(warehouse, {"errata_raw.page_views": views})
    build_marts(warehouse, "page_loads")
    client = warehouse.client(Role.READ)
    found = {row["element"]: row for row in client.rows(CAUSES, {"projects": [1]})}
    assert {name: found[name]["invoker"] for name in frames} == {
        "before": "",
        "short": "",
        "script": "http://shop.example/a.js",
        "moved": "#document.onmousemove",
        "own": "BUTTON.onclick",
    }
    parts = {name: found[name]["parts"] for name in frames}
    assert parts["own"] == [40, 250, 10]
    assert all(str(parts[name]) == "[nan, nan, nan]" for name in frames if name != "own")
    for row in client.rows("select view_id from errata_mart.page_loads", {"projects": [1]}):
        told = expected_of(waterfall(client, [1], f"{row['view_id']:016x}"))["inp_ms"]
        own = found[told[0][0]]
        assert told[0][2] == own["invoker"] and str(told[1][1:]) == str(own["parts"])
    client.close()
