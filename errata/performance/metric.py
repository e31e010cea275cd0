"""Metrics of page loads, an entry each: queries, tables, trends, budgets, REST and bounds follow from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

HOUR_MS = 3_600_000


class Unit(StrEnum):
    MS = "ms"
    BYTES = "bytes"
    COUNT = "count"
    SCORE = "score"
    RATIO = "ratio"


@dataclass(frozen=True)
class PageMetric:
    """A column of errata_mart.page_loads, whose values the marts over it hold under the same name."""

    name: str
    title: str
    """In sentences and titles of charts."""
    unit: Unit = Unit.MS
    label: str = ""
    """Heading of columns and cards; empty: the title."""
    budget_title: str = ""
    """Empty: the title."""
    sent_as: str = ""
    """Name under which SDKs send the vital; empty: taken from spans."""
    most: float | None = None
    """Largest value of its column in errata_raw.page_views; None: it has none there."""
    rating: tuple[float, float] | None = None
    """Up to the first it is good, above the second poor: the thresholds of web-vitals."""
    has_percentiles: bool = True
    """Pages, trends and the pages table of REST show p50, p75 and p95."""
    is_in_table: bool = True
    """The table of pages has a column of it, if it has percentiles."""

    @property
    def heading(self) -> str:
        return self.label or self.title

    @property
    def is_size(self) -> bool:
        """Sizes are kept by hour alone: for budgets."""
        return self.unit in (Unit.BYTES, Unit.COUNT)


PAGE_METRICS: Mapping[str, PageMetric] = {
    metric.name: metric
    for metric in (
        PageMetric("load_ms", "Load time", label="Load", budget_title="Total load time"),
        PageMetric("ttfb_ms", "TTFB", sent_as="ttfb", most=HOUR_MS, rating=(800, 1800)),
        PageMetric("dom_ready_ms", "DOM ready"),
        PageMetric("fp_ms", "FP", sent_as="fp", most=HOUR_MS, has_percentiles=False),
        PageMetric("fcp_ms", "FCP", sent_as="fcp", most=HOUR_MS, is_in_table=False),
        PageMetric("lcp_ms", "LCP", sent_as="lcp", most=HOUR_MS, rating=(2500, 4000)),
        # A session window lasts five seconds, and one shift counts for at most 1.
        PageMetric("cls", "CLS", Unit.SCORE, sent_as="cls", most=1000, rating=(0.1, 0.25)),
        PageMetric("inp_ms", "INP", sent_as="inp", most=HOUR_MS, rating=(200, 500)),
        PageMetric("resources_ms", "Resources time", has_percentiles=False),
        PageMetric("api_ms", "Page API time", has_percentiles=False),
        PageMetric("total_bytes", "Total size", Unit.BYTES, has_percentiles=False),
        PageMetric("script_bytes", "JavaScript size", Unit.BYTES, has_percentiles=False),
        PageMetric("style_bytes", "CSS size", Unit.BYTES, has_percentiles=False),
        PageMetric("image_bytes", "Image size", Unit.BYTES, has_percentiles=False),
        PageMetric("font_bytes", "Font size", Unit.BYTES, has_percentiles=False),
        PageMetric("request_count", "Requests per page", Unit.COUNT, has_percentiles=False),
    )
}
# Of a load that had not ended when it was reported, the marts count in `load_ms` the time until which it is
# known to have lasted, and a day in LOAD_AT_MOST: percentiles of both have the true one between them.
LOAD, LOAD_AT_MOST, UNENDED = "load_ms", "load_at_most_ms", "unended_ms"
BOUNDS_OF_LOAD = (LOAD_AT_MOST, UNENDED)
TIMINGS = tuple(metric for metric in PAGE_METRICS.values() if not metric.is_size)
SHOWN = tuple(metric for metric in TIMINGS if metric.has_percentiles)
