"""How metrics of a page are spread: loads by rating, and by size with percentiles marked."""

from errata.performance.metric import PAGE_METRICS, Unit
from errata.reports import charts, page_charts
from errata.reports.chart_meanings import BETTER, FAIR, RATINGS, WORSE
from errata.reports.chart_template import document
from errata.reports.page_charts import RatedLoads
from errata.warehouse.queries.performance.page_spread import MOST_BINS, spans
from tests.cases import each

SURFACES = {"light": (255, 255, 255), "dark": (24, 28, 35)}


def test_ratings_are_one_bar_a_vital_in_shares_and_the_colours_of_ratings() -> None:
    figure = page_charts.ratings([RatedLoads("LCP", (80, 15, 5)), RatedLoads("CLS", (1, 0, 0))])
    assert [bars.name for bars in figure.data] == ["good", "needs improvement", "poor"]
    assert [bars.marker.color for bars in figure.data] == [BETTER, FAIR, WORSE]
    assert [bars.x for bars in figure.data] == [(0.8, 1.0), (0.15, 0.0), (0.05, 0.0)]
    assert [bars.hovertext[0] for bars in figure.data] == [
        "LCP: 80% good, 80 loads",
        "LCP: 15% needs improvement, 15 loads",
        "LCP: 5% poor, 5 loads",
    ]


def test_a_histogram_marks_percentiles_and_tells_ratings_apart() -> None:
    marks = [("p50", 900.0), ("p75", 2600.0), ("p95", 4400.0)]
    figure = page_charts.histogram(
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 500.0, Unit.MS, "LCP", marks, PAGE_METRICS["lcp_ms"].rating
    )
    assert {bars.name: list(bars.y) for bars in figure.data} == {
        "good": [1, 2, 3, 4, 5],
        "needs improvement": [6, 7, 8],
        "poor": [9, 10],
    }
    assert figure.data[0].hovertext[1] == "500 ms to 1.00 s: 2 loads"
    assert figure.data[-1].hovertext[-1] == "4.50 s and more: 10 loads"
    assert [one.text for one in figure.layout.annotations] == ["p50 900 ms", "p75 2.60 s", "p95 4.40 s"]
    assert [line.x0 for line in figure.layout.shapes] == [900.0, 2600.0, 4400.0]
    # Labels near each other stand in rows of their own.
    assert len({one.yshift for one in figure.layout.annotations}) == 3
    assert {trace["type"] for trace in document(figure)["data"]} <= charts.TRACE_TYPES


def test_a_metric_without_thresholds_has_no_colour_that_means_one() -> None:
    (bars,) = page_charts.histogram([1, 2], 100.0, Unit.MS, "Load time", [], None).data
    assert bars.marker.color is None


@each("metric", ["lcp_ms", "inp_ms", "cls", "ttfb_ms", "load_ms"])
@each("p95", [0.0, 0.004, 0.3, 90.0, 640.0, 2900.0, 61_000.0])
def test_spans_of_a_histogram_are_few_and_hold_the_p95(metric: str, p95: float) -> None:
    width, count = spans(metric, p95)
    assert 2 <= count <= MOST_BINS and p95 < width * count
    rating = PAGE_METRICS[metric].rating
    if rating and p95 < 2 * rating[1]:
        assert all(round(bound / width, 6).is_integer() for bound in rating)


@each("surface", SURFACES.values(), ids=SURFACES)
def test_colours_with_a_meaning_are_seen_on_light_and_dark_and_carry_white_words(
    surface: tuple[int, int, int],
) -> None:
    for color in RATINGS.values():
        red, green, blue = (int(part) for part in color.removeprefix("rgb(").rstrip(")").split(","))
        assert contrast((red, green, blue), surface) >= 3
        assert contrast((red, green, blue), (255, 255, 255)) >= 4.5


def contrast(one: tuple[int, int, int], other: tuple[int, int, int]) -> float:
    """By WCAG 2."""

    def luminance(color: tuple[int, int, int]) -> float:
        shares = (part / 255 for part in color)
        linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
