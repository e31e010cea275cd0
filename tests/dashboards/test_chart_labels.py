"""Labels of releases on a chart, in a browser at the widths of a telephone, a tablet and a screen."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import combinations

import pytest
from jinja2.utils import htmlsafe_json_dumps
from playwright.sync_api import Page, sync_playwright

from dashboards.shared.chart_json import chart_json
from dashboards.shared.rendering import STATIC
from errata.performance.metric import Unit
from errata.reports import charts
from errata.reports.chart_marks import with_annotations, with_changes, with_deploys
from errata.reports.chart_template import templates
from errata.state.annotations import Note
from tests.annotated import annotated
from tests.dashboards.browser import CHROMIUM, FLAGS

MONDAY = datetime(2026, 8, 24, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
# Twelve in two weeks: of two services, two at the same time, and one a few minutes before the end.
DEPLOYS = [
    (MONDAY + HOUR * hours, name)
    for hours, name in (
        *((0, "shop@1.0.0"), (5, "api@1.0.0"), (40, "shop@1.1.0"), (40, "api@1.1.0"), (100, "shop@1.1.1")),
        *((130, "shop@1.1.2"), (180, "storefront-of-the-shop@2026.11.16-rc.1"), (220, "shop@1.2.0")),
        *((260, "api@1.2.0"), (290, "shop@1.2.1"), (330, "shop@1.2.2"), (335, "api@1.2.2")),
    )
]
MARKUP = '<b>x</b> & <a href="https://evil.example">y</a>'
NOTES = [
    Note(MARKUP, MONDAY + HOUR * 60),
    Note("Sale", MONDAY + HOUR * 240, MONDAY + HOUR * 300),
    Note("Out of the chart", MONDAY - HOUR * 60, MONDAY - HOUR),
]
ANNOTATIONS = [annotated(note) for note in NOTES]
PAGE = """<!doctype html><meta name="viewport" content="width=device-width"><style>body {{ margin: 8px }}
.low {{ height: 150px }} .tall {{ height: 320px }}
.small {{ height: 80px }}</style>
<div><div class="tall" data-chart></div><script type="application/json" data-figure>{tall}</script></div>
<div><div class="low" data-chart></div><script type="application/json" data-figure>{low}</script></div>
<div><div class="small" data-chart></div><script type="application/json" data-figure>{small}</script></div>
<script type="application/json" id="chart-templates">{templates}</script>"""
BOXES = """() => [...document.querySelectorAll("[data-chart]")].map(chart => ({
    chart: chart.getBoundingClientRect().toJSON(),
    notes: [...chart.querySelectorAll("g.annotation")].map(note => ({
        ...note.getBoundingClientRect().toJSON(), text: note.textContent })),
}))"""


@dataclass
class Step:
    start: datetime
    p50: float
    p75: float
    p95: float


def page_of_charts() -> str:
    days = [MONDAY + number * DAY for number in range(14)]
    trend = charts.trend([Step(day, 600.0, 800.0, 1580.0) for day in days], DAY, "Load time", Unit.MS)
    shifts = [((MONDAY + HOUR * 100).date(), "+12%", "shop@1.1.0")]
    counts = [("", [1580] * 14)]
    return PAGE.format(
        tall=chart_json(with_annotations(with_changes(with_deploys(trend, DEPLOYS), shifts), ANNOTATIONS)),
        low=chart_json(with_deploys(charts.events_over_time(days, counts), DEPLOYS)),
        small=chart_json(with_deploys(charts.events_over_time(days, counts, is_small=True), DEPLOYS)),
        templates=htmlsafe_json_dumps(templates()),
    )


def overlaps(one: dict[str, float], other: dict[str, float]) -> bool:
    return (
        min(one["right"], other["right"]) - max(one["left"], other["left"]) > 0.5
        and min(one["bottom"], other["bottom"]) - max(one["top"], other["top"]) > 0.5
    )


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_labels_of_releases_stand_apart_and_whole_at_every_width() -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_content(page_of_charts())
        page.add_script_tag(path=str(STATIC / "vendor/plotly/plotly-cartesian.min.js"))
        page.add_script_tag(path=str(STATIC / "charts.js"))
        fewest = {1440: 9, 768: 5, 390: 2}
        # The window is made smaller: what is drawn already is placed anew.
        for width, count in fewest.items():
            page.set_viewport_size({"width": width, "height": 900})
            page.wait_for_function(
                "width => [...document.querySelectorAll('[data-chart] .main-svg')]"
                ".every(drawn => Math.abs(drawn.getBoundingClientRect().width - width) < 1)",
                arg=width - 16,
            )
            for drawn in page.evaluate(BOXES):
                chart, notes = drawn["chart"], drawn["notes"]
                releases = [note for note in notes if note["text"][0] in "as"]
                assert len(releases) >= count, width
                assert not [pair for pair in combinations(notes, 2) if overlaps(*pair)], width
                assert all(
                    chart["left"] <= note["left"] <= note["right"] <= chart["right"]
                    and chart["top"] <= note["top"] <= note["bottom"] <= chart["bottom"]
                    for note in notes
                ), width
                # Every line is counted by a label, and the latest is named.
                assert releases[0]["text"].startswith("api 1.2.2"), width
                others = (note["text"].removesuffix(" ▸").partition(" +")[2] or "0" for note in releases)
                assert len(releases) + sum(map(int, others)) == len(DEPLOYS), width
        first = page.locator("[data-chart] g.annotation").first
        first.hover()
        hover = page.locator(".hoverlayer .hovertext").first
        hover.wait_for()
        told = hover.text_content() or ""
        assert "api@1.2.2, Sun 6 Sep 2026, 23:00 UTC" in told
        assert "shop@1.2.2, Sun 6 Sep 2026, 18:00 UTC" in told
        a_text_that_looks_like_markup_is_only_text(page)
        browser.close()


def a_text_that_looks_like_markup_is_only_text(page: Page) -> None:
    shown = page.locator("[data-chart]").first.locator("g.annotation").filter(has_text="✎")
    assert shown.all_text_contents() == ["✎ Sale", "✎ ‹b›x‹/b› ＆ ‹a href=…"]
    shown.last.hover()
    hover = page.locator(".hoverlayer .hovertext").filter(has_text="‹b›x‹/b›")
    hover.wait_for()
    assert '‹a href="https://evil.example"›y‹/a› · Wed 26 Aug 2026, 12:00 UTC · ada@' in (
        hover.text_content() or ""
    )
    assert page.locator("[data-chart] a").count() == 0


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_the_first_worse_day_is_drawn_right_of_its_release() -> None:
    days = [MONDAY + number * DAY for number in range(7)]
    steps = [Step(day, 100.0, 200.0 if day < days[3] else 300.0, 900.0) for day in days]
    trend = charts.trend(steps, DAY, "Load time", Unit.MS)
    drawn = chart_json(with_deploys(trend, [(days[3] + timedelta(hours=9, minutes=7), "shop@2")]))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 768, "height": 900})
        page.set_content(
            PAGE.format(tall=drawn, low=drawn, small=drawn, templates=htmlsafe_json_dumps(templates()))
        )
        page.add_script_tag(path=str(STATIC / "vendor/plotly/plotly-cartesian.min.js"))
        page.add_script_tag(path=str(STATIC / "charts.js"))
        page.wait_for_selector(".tall .scatterlayer .point")
        points, line = page.evaluate(
            """() => [
                [...document.querySelectorAll(".tall .scatterlayer .trace:nth-child(2) .point")],
                [document.querySelector(".tall .shapelayer path")],
            ].map(found => found.map(one => one.getBoundingClientRect()))
                .map(boxes => boxes.map(box => box.left + box.width / 2))"""
        )
        assert len(points) == 7 and points[2] < line[0] < points[3]
        browser.close()
