"""How the metrics of a page are spread over its loads: figures, and the same in words and tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from dashboards.performance.metrics import TREND_METRICS
from dashboards.shared.chart_json import chart_json
from dashboards.shared.metrics import figure, unit_of
from errata.performance.metric import PAGE_METRICS
from errata.reports import formats, page_charts
from errata.reports.page_charts import RatedLoads
from errata.warehouse.queries.performance.page_spread import Histogram, Ratings, Split
from errata.warehouse.queries.performance.page_views import Percentiles

SPLITS = {"device": "Devices", "browser": "Browsers", "country": "Countries"}
# Of a split.
MOST_SHOWN = 8


@dataclass(frozen=True)
class Picture:
    """`words` are for whom the figure is not drawn."""

    figure: Markup
    words: str


@dataclass(frozen=True)
class Bars:
    """One split of a page's loads; `longest` is the p75 that the longest bar stands for."""

    title: str
    rows: Sequence[Split]
    longest: float


def ratings_picture(rows: Sequence[Ratings]) -> Picture | None:
    if not rows:
        return None
    rated = [
        RatedLoads(PAGE_METRICS[row.metric].title, (row.good_count, row.fair_count, row.poor_count))
        for row in rows
    ]
    good = (f"{row.name} {formats.ratio(row.counts[0] / sum(row.counts))}" for row in rated)
    return Picture(chart_json(page_charts.ratings(rated)), f"Loads rated good: {', '.join(good)}")


def spread_picture(found: Histogram | None, percentiles: Percentiles) -> Picture | None:
    """None without loads that measured the metric."""
    if found is None:
        return None
    marks = [(name, value) for name, value in percentiles._asdict().items() if value is not None]
    title = TREND_METRICS[found.metric]
    drawn = page_charts.histogram(
        found.counts, found.width, unit_of(found.metric), title, marks, PAGE_METRICS[found.metric].rating
    )
    told = ", ".join(f"{name} {figure(found.metric, value)}" for name, value in marks)
    return Picture(chart_json(drawn), f"{title} of {formats.plural(sum(found.counts), 'load')}: {told}")


def bars(found: Mapping[str, Sequence[Split]]) -> list[Bars]:
    """A card a split that tells anything."""
    return [
        Bars(title, rows[:MOST_SHOWN], max((row.p75 or 0.0 for row in rows[:MOST_SHOWN]), default=0.0))
        for name, title in SPLITS.items()
        if (rows := found[name])
    ]
