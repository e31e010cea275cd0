"""The document of a report: what it says, and how its tables are set."""

import re
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from errata.reports.performance_report import PerformanceReport, document_of
from errata.warehouse.queries.performance.page_views import Percentiles
from errata.warehouse.queries.performance.releases import Effect, Interval, ReleaseRow
from errata.warehouse.queries.performance.resources import ResourceRow

EFFECT = Effect(
    page="",
    metric="load_ms",
    verdict="not_enough_data",
    after_count=60,
    before_count=55,
    user_count=4,
    independent_count=60,
    largest_share=0.0,
    before_p50=1000.0,
    before_p75=1500.0,
    after_p50=700.0,
    after_p75=900.0,
    effect=Interval(-382.0, -700.0, 90.0),
    ratio=Interval(-0.382, -0.7, 0.09),
    bound_low=-0.8,
    bound_high=0.2,
    p_value=0.1,
    q_value=None,
    slower_probability=0.05,
    superiority=0.4,
)
SHIFT = replace(EFFECT, metric="cls", ratio=None, effect=Interval(-0.0312, -0.05, -0.01), verdict="better")
RELEASE = ReleaseRow(
    release="shop@1.1",
    environment="production",
    previous_release="shop@1.0",
    first_view_at=datetime(2026, 11, 1, tzinfo=UTC),
    last_day=date(2026, 11, 8),
    view_count=60,
    user_count=4,
    load_ms_p50=700.0,
    load_ms_p75=900.0,
    load_ms_p95=4000.0,
    lcp_ms_p75=None,
    js_bytes_p50=None,
    api_ms=None,
    error_count=0,
    session_count=0,
    crashed_count=0,
    crash_free=None,
    crash_free_change=None,
    crash_free_users=None,
    crash_free_users_change=None,
    crash_verdict="not_enough_data",
    independent_sessions=0.0,
    new_issues=[],
    regressed_issues=[],
    look_hours=24,
    next_look_at=None,
    verdict="not_enough_data",
    moved_mix=[],
    built_through=datetime(2026, 11, 9, tzinfo=UTC),
    as_of=datetime(2026, 11, 9, tzinfo=UTC),
    effects={"load_ms": EFFECT, "cls": SHIFT},
)
REPORT = PerformanceReport(
    project="Web shop",
    title="Performance of Web shop",
    days=(date(2026, 11, 1), date(2026, 11, 8)),
    environment="",
    release="",
    as_of=datetime(2026, 11, 9, tzinfo=UTC),
    together=None,
    pages=[],
    endpoints=[],
    steps=[],
    types=[],
    blocking=[],
    releases=[RELEASE],
    budgets=[],
    judged=RELEASE,
)


def test_too_little_data_is_no_number() -> None:
    document = document_of(REPORT)
    assert document.count("ot enough data") == 3
    assert "38.2" not in document and "−70%" not in document
    certain = replace(RELEASE, verdict="better", effects={"load_ms": replace(EFFECT, verdict="better")})
    assert document_of(replace(REPORT, judged=certain)).count("−38.2%") == 2


def test_a_change_of_a_score_has_the_minus_of_other_changes() -> None:
    document = document_of(REPORT)
    assert "−0.031" in document and "−0.050 to −0.010" in document
    assert not re.search(r">-\d", document)


def test_a_document_writes_days_as_pages_do() -> None:
    document = document_of(REPORT)
    assert "1 Nov 2026 to 8 Nov 2026" in document and ">1 Nov 2026</td>" in document
    assert "2026-11" not in document


@pytest.mark.slow
def test_an_address_is_broken_only_where_its_line_is_full() -> None:
    urls = [
        "https://shop.example.org/vendor/a/library-of-usual-length-11.12.0.min.js",
        "https://a.org/" + "x" * 150,
    ]
    rows = [
        ResourceRow("script", url, "a.org", 9, 9, 0, 9, 9, 0, 900, 100.0, 100.0, Percentiles(), 1.0, 20.0)
        for url in urls
    ]
    lines = _lines_of_text(document_of(replace(REPORT, blocking=rows)))
    assert urls[0] in lines
    # The longer one takes as few lines as there are of the column's width.
    assert sum("xxxx" in line for line in lines) == 3


@pytest.mark.slow
def test_names_and_reasons_of_releases_both_have_room() -> None:
    name = "web-shop@2026.11.3+build.4431"
    judged = replace(
        RELEASE, release=name, verdict="worse", effects={"load_ms": replace(EFFECT, verdict="worse")}
    )
    lines = _lines_of_text(document_of(replace(REPORT, releases=[judged], judged=None)))
    assert sum(line in name for line in lines) <= 3
    assert "worse" in lines and any(line.startswith(": load time −38.2%") for line in lines)


def test_sentences_are_apart() -> None:
    judged = replace(
        RELEASE,
        moved_mix=["browser", "device_type"],
        effects={"load_ms": replace(EFFECT, verdict="worse", independent_count=40)},
    )
    report = replace(REPORT, judged=judged, environment="production", release="shop@1.1")
    for shown in (report, replace(report, as_of=None)):
        paragraphs = re.findall(r"<p[^>]*>(.*?)</p>", document_of(shown), re.DOTALL)
        texts = [re.sub(r"<[^>]*>", "", one) for one in paragraphs]
        assert any("The mix of browser and device type" in text for text in texts)
        assert [text for text in texts if re.search(r"[^\s.\d][.;][^\s\d]", text)] == []


def _lines_of_text(document: str) -> list[str]:
    from weasyprint import HTML

    pages: Any = HTML(string=document).render().pages
    return [
        box.text
        for page in pages
        for box in page._page_box.descendants()
        if type(box).__name__ == "TextBox" and box.text.strip()
    ]
