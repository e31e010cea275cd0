"""What a page does long after its load, such as at a click, is no part of its waterfall's chart."""

from dataclasses import replace
from datetime import UTC, date, datetime

from dashboards.performance.waterfall.view import IDLE_MS, chart
from errata.performance.causes import LongFrame
from errata.warehouse.queries.performance.waterfall import PageView, Resource, Waterfall

VIEW = PageView(
    id="00000000000000aa",
    project_id=1,
    occurred_at=datetime(2026, 11, 1, tzinfo=UTC),
    received_on=date(2026, 11, 1),
    page="/checkout",
    url="https://shop.example/checkout",
    navigation_type="navigate",
    environment="",
    release="",
    sdk="",
    browser="",
    os="",
    device="",
    country="",
    connection="",
    trace_id="",
    replay_id="",
    load_ms=900.0,
    ttfb_ms=100.0,
    dom_ready_ms=500.0,
    fp_ms=None,
    fcp_ms=300.0,
    lcp_ms=700.0,
    cls=None,
    inp_ms=150.0,
    inp_at_ms=20_000.0,
)
CLICK = LongFrame(20_000.0, 120.0, "BUTTON#pay.onclick", "event-listener", "", "", -1)


def call(offset_ms: float, duration_ms: float, url: str) -> Resource:
    return Resource("api", "fetch", url, "", offset_ms, duration_ms, 0, 0, 0, False, False, 200, None)


WATERFALL = Waterfall(
    view=VIEW,
    # The second call begins while the page is still busy with the first.
    resources=[
        call(400.0, 2_000.0, "/api/cart"),
        call(2_400.0 + IDLE_MS, 100.0, "/api/stock"),
        call(20_050.0, 300.0, "/api/pay"),
    ],
    document_spans=(),
    is_cut=False,
    frames=[CLICK],
)


def test_a_click_long_after_the_load_is_left_out_and_named() -> None:
    drawn = chart(WATERFALL)
    assert [bar.name for bar in drawn.bars if bar.kind in ("api", "frame")] == ["/api/cart", "/api/stock"]
    assert drawn.left_out == ["BUTTON#pay.onclick at 20.0 s", "/api/pay at 20.1 s"]
    assert drawn.words.startswith("2 resources and calls in 4.50 s")
    assert "INP" not in drawn.words


def test_a_load_without_a_pause_is_drawn_whole() -> None:
    busy = replace(WATERFALL, resources=WATERFALL.resources[:2], frames=())
    assert chart(busy).left_out == []


def test_what_a_link_points_out_is_drawn_however_late() -> None:
    drawn = chart(WATERFALL, "/api/pay")
    assert drawn.left_out == [] and any(bar.is_meant for bar in drawn.bars)
