"""Labels of releases on a chart, in a browser at the widths of a telephone, a tablet and a screen."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import combinations

import pytest
from jinja2.utils import htmlsafe_json_dumps
from playwright.sync_api import sync_playwright

from dashboards.shared.chart_json import chart_json
from dashboards.shared.rendering import STATIC
from errata.performance.metric import Unit
from errata.reports.chart_marks import (
    LONGEST_LOW_LABEL,
    LONGEST_SMALL_LABEL,
    with_changes,
    with_deploys,
)
from errata.reports.chart_template import templates
from errata.reports.charts import events_over_time, weekly_trend
from tests.dashboards.browser import CHROMIUM, FLAGS

MONDAY = datetime(2026, 8, 24, tzinfo=UTC)
HOUR = timedelta(hours=1)
# Two on the first day, two of different packages at the same time, and several in the last week.
DEPLOYS = [
    (MONDAY + HOUR * hours, name)
    for hours, name in (
        *((1, "shop@1.0.0"), (5, "shop-web@1.0.0"), (400, "shop@1.1.0"), (400, "shop-web@1.1.0")),
        *((900, "storefront-of-the-shop@2026.11.16-rc.1"), (2180, "shop@1.2.0"), (2300, "shop@1.2.1")),
    )
]
PAGE = """<!doctype html><meta name="viewport" content="width=device-width"><style>body {{ margin: 8px }}
.low {{ height: 150px }} .tall {{ height: 320px }}
.small {{ height: 80px }}</style>
<div><div class="tall" data-chart></div><script type="application/json" data-figure>{tall}</script></div>
<div><div class="low" data-chart></div><script type="application/json" data-figure>{low}</script></div>
<div><div class="small" data-chart></div><script type="application/json" data-figure>{small}</script></div>
<script type="application/json" id="chart-templates">{templates}</script>"""
BOXES = """() => [...document.querySelectorAll("[data-chart]")].map(chart => ({
    chart: chart.getBoundingClientRect().toJSON(),
    notes: [...chart.querySelectorAll("g.annotation")].map(note => note.getBoundingClientRect().toJSON()),
}))"""


@dataclass
class Week:
    start: datetime
    p50: float
    p75: float
    p95: float


def page_of_charts() -> str:
    weeks = [Week(MONDAY + timedelta(weeks=number), 600.0, 800.0, 1580.0) for number in range(14)]
    trend = with_deploys(weekly_trend(weeks, "Load time", Unit.MS), DEPLOYS)
    shifts = [((MONDAY + HOUR * 400).date(), "+12%", "shop@1.1.0")]
    days = [MONDAY + timedelta(days=number) for number in range(98)]
    counts = [("", [1580] * 98)]
    bars = with_deploys(events_over_time(days, counts), DEPLOYS, longest=LONGEST_LOW_LABEL)
    beside = events_over_time(days, counts, is_small=True)
    return PAGE.format(
        tall=chart_json(with_changes(trend, shifts)),
        low=chart_json(bars),
        small=chart_json(with_deploys(beside, DEPLOYS, longest=LONGEST_SMALL_LABEL)),
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
        for width in (390, 768, 1440):
            page = browser.new_page(viewport={"width": width, "height": 900})
            page.set_content(page_of_charts())
            page.add_script_tag(path=str(STATIC / "vendor/plotly/plotly-cartesian.min.js"))
            page.add_script_tag(path=str(STATIC / "charts.js"))
            page.wait_for_selector("[data-chart] g.annotation")
            for drawn in page.evaluate(BOXES):
                chart, notes = drawn["chart"], drawn["notes"]
                assert len(notes) >= 4
                assert not [pair for pair in combinations(notes, 2) if overlaps(*pair)], width
                assert all(
                    chart["left"] <= note["left"] <= note["right"] <= chart["right"]
                    and chart["top"] <= note["top"] <= note["bottom"] <= chart["bottom"]
                    for note in notes
                ), width
            first = page.locator("g.annotation").first
            assert first.text_content() == "shop-web@1.0.0 +1"
            first.hover()
            hover = page.locator(".hoverlayer .hovertext").first
            hover.wait_for()
            assert "shop@1.0.0, Mon 24 Aug 2026, 01:00 UTC" in (hover.text_content() or "")
            page.close()
        browser.close()
