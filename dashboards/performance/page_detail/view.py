"""One page: its figures, and what the chosen tab shows of it."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from dashboards.performance.images import Image, image_of
from dashboards.performance.metrics import TREND_METRICS
from dashboards.performance.page_detail import spread
from dashboards.performance.page_detail.spread import Bars, Picture
from dashboards.performance.previous_period import previous_words
from dashboards.performance.trend import Trend, deploys, drawn_trend, rows_before
from dashboards.shared.addresses import View
from errata.performance.filters import Filters
from errata.reports import formats
from errata.state.annotations import Annotation
from errata.warehouse.at_once import submitted
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance import page_detail, page_spread, page_views, resources
from errata.warehouse.queries.performance.causes_of_page import CausesOfPage, causes_of_page
from errata.warehouse.queries.performance.page_detail import Loads
from errata.warehouse.queries.performance.page_spread import Ratings
from errata.warehouse.queries.performance.page_views import PageRow
from errata.warehouse.queries.performance.releases import PageChange, changes_of_page
from errata.warehouse.queries.performance.resources import Breakdown, Choice, ResourceRow

DEFAULT_METRIC = "load_ms"
DEFAULT_TAB = "overview"
TABS: Mapping[str, str] = {
    "overview": "Overview",
    "loads": "Real loads",
    "causes": "What users waited for",
    "resources": "Resources",
    "images": "Images",
    "calls": "API calls",
}
MOST_URLS = 12
# Whatever the period: what slowed a page may be older than its chart.
CHANGES_WITHIN = timedelta(days=90)
CHOICE = Choice(urls=MOST_URLS, blocking=MOST_URLS, sort="decoded_bytes")
IMAGES = Choice(urls=MOST_URLS, type="image", sort="body_bytes")
CALLS = Choice(urls=MOST_URLS, type="api", sort="duration_ms")


@dataclass(frozen=True)
class ShownChange:
    """A release that changed the page, in words; `interval`: that of 95%."""

    release: str
    environment: str
    began_at: datetime
    verdict: str
    change: str
    interval: str


@dataclass(frozen=True)
class Overview:
    """Pictures are None where nothing was measured."""

    ratings: Sequence[Ratings]
    rated: Picture | None
    spread: Picture | None
    splits: Sequence[Bars]
    trend: Trend
    changes: Sequence[ShownChange]
    """Releases of the last 90 days that changed the metric."""


@dataclass(frozen=True)
class PageDetail:
    """Beside the figures, what one tab shows."""

    rows: Sequence[PageRow] = ()
    compared: str = ""
    """What the load time is compared with."""
    overview: Overview | None = None
    loads: Loads | None = None
    causes: CausesOfPage | None = None
    loaded: Breakdown | None = None
    images: Sequence[Image] = ()
    """The largest first."""
    calls: Sequence[ResourceRow] = ()
    """API calls by URL, the slowest first."""


def detail_of(
    warehouse: Warehouse,
    filters: Filters,
    page: str,
    view: View,
    annotations: Sequence[Annotation],
) -> PageDetail:
    """Queries run at the same time, but for those that the page's percentiles choose."""
    figures = submitted(lambda: page_views.page_rows(warehouse, filters, page).rows)
    match view["tab"]:
        case "loads":
            shown = PageDetail(loads=page_detail.loads_of_page(warehouse, filters, page))
        case "causes":
            shown = PageDetail(causes=causes_of_page(warehouse, filters, page))
        case "resources":
            shown = PageDetail(loaded=resources.breakdown(warehouse, filters, page, CHOICE))
        case "images":
            shown = PageDetail(images=_images(warehouse, filters, page))
        case "calls":
            shown = PageDetail(calls=resources.breakdown(warehouse, filters, page, CALLS).urls)
        case _:
            shown = PageDetail(overview=_overview(warehouse, filters, page, view, figures, annotations))
    rows = figures.result()
    return replace(shown, rows=rows, compared=previous_words(rows[0], filters.range) if rows else "")


def _images(warehouse: Warehouse, filters: Filters, page: str) -> list[Image]:
    causes = submitted(lambda: causes_of_page(warehouse, filters, page))
    images = resources.breakdown(warehouse, filters, page, IMAGES).urls
    return [image_of(row, causes.result()) for row in images]


def _overview(
    warehouse: Warehouse,
    filters: Filters,
    page: str,
    view: View,
    figures: Future[list[PageRow]],
    annotations: Sequence[Annotation],
) -> Overview:
    by, metric = filters.range.trend_step, view["metric"]
    steps = submitted(lambda: page_views.trend(warehouse, filters, metric, page, by).rows)
    starts = submitted(lambda: deploys(warehouse, filters))
    before = submitted(lambda: rows_before(warehouse, filters, metric, page, view))
    rated = submitted(lambda: page_spread.ratings(warehouse, filters, page))
    splits = submitted(lambda: page_spread.splits(warehouse, filters, page, metric))
    changes = submitted(lambda: _changes(warehouse, filters, page, metric))
    histogram = page_spread.histogram(warehouse, filters, page, metric)
    known = page_views.percentiles_of_loads(figures.result(), metric)
    trend = drawn_trend(
        steps.result(),
        filters.range,
        metric,
        TREND_METRICS[metric],
        starts.result(),
        annotations,
        before.result(),
    )
    return Overview(
        ratings=rated.result(),
        rated=spread.ratings_picture(rated.result()),
        spread=spread.spread_picture(histogram, known),
        splits=spread.bars(splits.result()),
        trend=trend,
        changes=changes.result(),
    )


def _changes(warehouse: Warehouse, filters: Filters, page: str, metric: str) -> list[ShownChange]:
    since = filters.range.now - CHANGES_WITHIN
    (project_id,) = filters.projects

    found = changes_of_page(warehouse, project_id, page, metric, filters.environment, since)
    return [_shown_change(one) for one in found]


def _shown_change(one: PageChange) -> ShownChange:
    """In percent; a metric that may be 0 by its own number."""
    known = one.ratio or one.effect
    words = formats.change if one.ratio else formats.score_change
    return ShownChange(
        one.release,
        one.environment,
        one.began_at,
        one.verdict,
        words(known.value),
        f"{words(known.low)} to {words(known.high)}",
    )
