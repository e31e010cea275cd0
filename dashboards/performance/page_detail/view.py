"""One page: figures, trend, resources, shares and real loads."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboards.performance.images import Image, image_of
from dashboards.performance.metrics import TREND_METRICS
from dashboards.performance.previous_period import previous_words
from dashboards.performance.trend import Trend, deploys, drawn_trend, rows_before
from dashboards.shared.addresses import View
from errata.performance.filters import Filters
from errata.state.annotations import Annotation
from errata.warehouse.at_once import submitted
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance import page_detail, page_views, resources
from errata.warehouse.queries.performance.causes_of_page import CausesOfPage, causes_of_page
from errata.warehouse.queries.performance.page_detail import Loads, Shares
from errata.warehouse.queries.performance.page_views import PageRow
from errata.warehouse.queries.performance.resources import Breakdown, Choice, ResourceRow

DEFAULT_METRIC = "load_ms"
MOST_URLS = 12
CHOICE = Choice(urls=MOST_URLS, blocking=MOST_URLS, sort="decoded_bytes")
IMAGES = Choice(urls=MOST_URLS, type="image", sort="body_bytes")
CALLS = Choice(urls=MOST_URLS, type="api", sort="duration_ms")


@dataclass(frozen=True)
class PageDetail:
    rows: list[PageRow]
    loads: Loads
    loaded: Breakdown
    calls: list[ResourceRow]
    """API calls by URL, the slowest first."""
    images: list[Image]
    """The largest first."""
    shares: Shares
    causes: CausesOfPage
    trend: Trend
    compared: str
    """What the load time is compared with."""


def detail_of(
    warehouse: Warehouse,
    filters: Filters,
    page: str,
    metric: str,
    view: View,
    annotations: Sequence[Annotation],
) -> PageDetail:
    """Queries run at the same time, but for real loads, which the page's percentiles choose."""
    by = filters.range.trend_step
    metric = metric if metric in TREND_METRICS else DEFAULT_METRIC
    rows = submitted(lambda: page_views.trend(warehouse, filters, metric, page, by).rows)
    loaded = submitted(lambda: resources.breakdown(warehouse, filters, page, CHOICE))
    calls = submitted(lambda: resources.breakdown(warehouse, filters, page, CALLS).urls)
    images = submitted(lambda: resources.breakdown(warehouse, filters, page, IMAGES).urls)
    shares = submitted(lambda: page_detail.shares(warehouse, filters, page))
    causes = submitted(lambda: causes_of_page(warehouse, filters, page))
    starts = submitted(lambda: deploys(warehouse, filters))
    before = submitted(lambda: rows_before(warehouse, filters, metric, page, view))
    answer = page_views.page_rows(warehouse, filters, page)
    loads = page_detail.loads_of_page(warehouse, filters, page)
    trend = drawn_trend(
        rows.result(),
        filters.range,
        metric,
        TREND_METRICS[metric],
        starts.result(),
        annotations,
        before.result(),
    )
    return PageDetail(
        rows=answer.rows,
        loads=loads,
        loaded=loaded.result(),
        calls=calls.result(),
        images=[image_of(row, causes.result()) for row in images.result()],
        shares=shares.result(),
        causes=causes.result(),
        trend=trend,
        compared=previous_words(answer.rows[0], filters.range) if answer.rows else "",
    )
