"""Captured loads: long frames, and the parts of INP and LCP, as the browser had them."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from api.ingest.item import Rows
from api.ingest.telemetry import rows_of
from errata.performance.causes import LongFrame
from errata.performance.script import known_script
from errata.warehouse.queries.performance.waterfall import Waterfall, waterfall
from errata.warehouse.roles import Role
from tests.captures import GENERATIONS, browser_items, moved_to, truth
from tests.long_frames import frames_sent
from tests.processes import WarehouseProcess
from tests.warehouse_rows import store

NOW = datetime.now(UTC)
BY = moved_to(NOW)
# Event timing rounds durations to 8 ms.
ROUNDED_MS = 8
FRAMES_SENT = {"v11": 107, "v10": 97, "v9": 20, "v8": 41}


def captured(generation: str) -> list[Rows]:
    return [rows_of(item, NOW) for item in browser_items(generation, BY, ("transaction", "span"))]


def sent_frames(generation: str) -> list[tuple[float, LongFrame]]:
    """Start in unix seconds, and the frame without its duration, with what is known of its script."""
    return [
        (round(start + BY.total_seconds(), 4), with_script(*script))
        for start, script in frames_sent(generation)
    ]


def with_script(invoker: str, kind: str, file: str, function: str, position: int) -> LongFrame:
    known = known_script(invoker, file, function, position, None)
    return LongFrame(0, 0, invoker, kind, known.file, known.function, known.position)


def shown(warehouse: WarehouseProcess, generation: str) -> list[tuple[dict[str, Any], Waterfall]]:
    client = warehouse.client(Role.READ)
    loads = [load for load in truth() if load["sdk"]["major"] == int(generation[1:])]
    found = [(load, waterfall(client, [1], load["pageload_span_id"])) for load in loads]
    client.close()
    return found


@pytest.mark.slow
@pytest.mark.parametrize("generation", GENERATIONS)
def test_every_frame_that_was_sent_is_in_its_load_with_its_script(
    warehouse: WarehouseProcess, generation: str
) -> None:
    batches = captured(generation)
    # In any order, and more than once.
    store(warehouse, *reversed(batches), *batches[::3])
    sent = sent_frames(generation)
    assert len(sent) == FRAMES_SENT[generation]
    client = warehouse.client(Role.READ)
    views = client.rows(
        "select distinct view_id, started_at_ms from errata_raw.page_views where is_load", {"projects": [1]}
    )
    stored = []
    for view in views:
        found = waterfall(client, [1], f"{view['view_id']:016x}")
        for frame in found.frames:
            start = round((view["started_at_ms"] + frame.offset_ms) / 1000, 4)
            stored.append((start, replace(frame, offset_ms=0, duration_ms=0)))
            assert frame.offset_ms >= 0 and frame.duration_ms >= 50
    client.close()
    assert sorted(stored, key=str) == sorted(sent, key=str)


@pytest.mark.slow
@pytest.mark.parametrize("generation", GENERATIONS)
def test_parts_of_lcp_are_those_of_chromiums_own_entries(
    warehouse: WarehouseProcess, generation: str
) -> None:
    store(warehouse, *captured(generation))
    known = 0
    for load, found in shown(warehouse, generation):
        view, parts = found.view, found.lcp_parts
        if view.lcp_ms != pytest.approx(load["at_pagehide"]["LCP"], abs=ROUNDED_MS):
            # Frozen with the transaction, before the page had its largest content.
            assert generation == "v10"
            continue
        told = (parts.ttfb_ms, parts.load_delay_ms, parts.load_duration_ms, parts.render_delay_ms)
        if None in told:
            assert told[0] is not None
            continue
        assert told == pytest.approx(parts_in_browser(load, view.lcp_url), abs=ROUNDED_MS)
        assert sum(each or 0 for each in told) == pytest.approx(view.lcp_ms, abs=0.01)
        known += 1
    assert known == LCP_PARTS_KNOWN[generation]


LCP_PARTS_KNOWN = {"v11": 42, "v10": 38, "v9": 8, "v8": 20}


def parts_in_browser(load: dict[str, Any], url: str) -> tuple[float, float, float, float]:
    """From Chromium's navigation and resource timing: https://web.dev/articles/optimize-lcp."""
    lcp, ttfb = load["at_pagehide"]["LCP"], load["at_pagehide"]["TTFB"]
    image = next((one for one in load["resources"] if one["name"].partition("?")[0] == url), None)
    start = max(ttfb, image["startTime"]) if image else ttfb
    end = min(lcp, max(start, image["responseEnd"])) if image else ttfb
    return ttfb, start - ttfb, end - start, lcp - end


@pytest.mark.slow
@pytest.mark.parametrize("generation", GENERATIONS)
def test_inp_is_chromiums_with_its_element_and_its_parts_where_frames_tell_them(
    warehouse: WarehouseProcess, generation: str
) -> None:
    store(warehouse, *captured(generation))
    known = 0
    for load, found in shown(warehouse, generation):
        view, parts = found.view, found.inp_parts
        if view.inp_ms is None:
            continue
        if load["at_pagehide"].get("INP") is not None:
            assert view.inp_ms == pytest.approx(load["at_pagehide"]["INP"], abs=ROUNDED_MS)
        assert view.inp_type == "click" and view.inp_at_ms is not None
        if parts.processing_ms is None:
            assert (parts.input_delay_ms, parts.presentation_ms) == (None, None)
            continue
        known += 1
        assert parts.input_delay_ms is not None and parts.presentation_ms is not None
        assert parts.input_delay_ms + parts.processing_ms + parts.presentation_ms == pytest.approx(
            view.inp_ms
        )
        # The handler that the frame names is of the element that was clicked.
        assert found.inp_frame is not None
        tag = found.inp_frame.invoker.rpartition(".on")[0].lower().partition("[")[0]
        assert tag and tag in view.inp_target
    assert known == INP_PARTS_KNOWN[generation]


INP_PARTS_KNOWN = {"v11": 16, "v10": 10, "v9": 1, "v8": 1}


@pytest.mark.slow
@pytest.mark.parametrize("generation", GENERATIONS)
def test_cls_is_chromiums_with_the_elements_that_moved(warehouse: WarehouseProcess, generation: str) -> None:
    """Also 0, which SDKs before 11 leave out. Which elements moved the browser's own numbers don't say."""
    store(warehouse, *captured(generation))
    compared = shifted_later = moved = 0
    for load, found in shown(warehouse, generation):
        view, truth_cls = found.view, load["at_pagehide"]["CLS"]
        assert view.cls is not None
        assert bool(view.cls_sources) == (view.cls > 0)
        assert not any(each.startswith(" ") for each in view.cls_sources)
        if view.cls == pytest.approx(truth_cls, abs=SAME_CLS):
            compared += 1
            moved += view.cls > 0
        else:
            # Before 11 CLS ends with the transaction, here before a banner of the start page came.
            assert generation != "v11" and view.page == "/" and view.cls < truth_cls
            shifted_later += 1
    assert (compared, moved, shifted_later) == CLS_COMPARED[generation]


# In CLS, which has no unit.
SAME_CLS = 0.001
# Loads with the browser's CLS, those of them in which something moved, and loads that shifted after the
# transaction had ended.
CLS_COMPARED = {"v11": (42, 31, 0), "v10": (38, 24, 1), "v9": (8, 3, 0), "v8": (19, 14, 1)}
