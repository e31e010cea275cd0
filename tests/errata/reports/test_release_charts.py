"""What a release changed: effects with their intervals, and one metric before and after."""

from errata.performance.metric import Unit
from errata.reports import charts, release_charts
from errata.reports.chart_meanings import BETTER, MUTED, WORSE
from errata.reports.chart_template import document
from errata.reports.release_charts import EffectBar, Side

LEVELS = (0.25, 0.5, 0.75)
BEFORE = Side("shop@1.0", [1000.0, 1200.0, 1500.0], 1500.0)
AFTER = Side("shop@1.1", [1100.0, 1500.0, 2000.0], 2000.0)


def bar(
    verdict: str, low: float, high: float, *, is_known: bool = True, name: str = "LCP · /cart"
) -> EffectBar:
    value = (low + high) / 2 if is_known else None
    return EffectBar(name, verdict, verdict, value, low, high, f"{name} {verdict}", f"/{verdict}")


def test_effects_are_rows_in_their_order_with_intervals_in_the_colours_of_verdicts() -> None:
    bars = [
        bar("worse", 0.1, 0.3),
        bar("better", -0.2, -0.1),
        bar("no_change", -0.02, 0.02),
        bar("not_enough_data", -0.4, 0.9, is_known=False),
    ]
    figure = release_charts.effects(bars, 0.9)
    assert [trace.name for trace in figure.data] == [one.verdict for one in bars]
    assert [trace.marker.color for trace in figure.data] == [WORSE, BETTER, MUTED, MUTED]
    for row, (trace, one) in enumerate(zip(figure.data, bars, strict=True)):
        assert (trace.y, trace.customdata) == ((row,), (one.address,))
        low, high = trace.x[0] - trace.error_x.arrayminus[0], trace.x[0] + trace.error_x.array[0]
        assert (round(low, 9), round(high, 9)) == (one.low, one.high)
    # A number without a verdict would be read as an effect.
    assert figure.data[-1].marker.symbol == "line-ew-open"
    assert (figure.layout.yaxis.range, figure.layout.shapes[0].x0) == ((3.5, -0.5), 0)
    assert list(figure.layout.xaxis.ticktext) == ["0%", "+50%"]


def test_an_interval_beyond_the_scale_is_cut_and_a_long_name_keeps_its_ends() -> None:
    name = "JavaScript size · /shop/{id}/reviews/of/all/others"
    figure = release_charts.effects([bar("worse", 0.5, 9.0, name=name)], 1.5)
    (trace,) = figure.data
    assert trace.x[0] + trace.error_x.array[0] == 1.5
    (label,) = figure.layout.yaxis.ticktext
    assert (
        len(label) == release_charts.LONGEST_LABEL
        and label.startswith("JavaScript")
        and label.endswith("others")
    )


def test_both_releases_are_curves_of_shares_with_the_p75_of_the_table_marked() -> None:
    figure = release_charts.before_and_after(BEFORE, AFTER, LEVELS, "worse", "LCP", Unit.MS)
    after, before = figure.data
    assert (after.name, before.name) == ("shop@1.1", "shop@1.0")
    assert after.x == (1100.0, 1500.0, 2000.0, None, 2000.0) and after.y == (*LEVELS, None, 0.75)
    assert (after.text[-1], before.text[-1]) == ("p75 2.00 s", "p75 1.50 s")
    assert (after.textposition, before.textposition) == ("bottom right", "top left")
    assert (after.line.color, before.line.color, before.line.dash) == (WORSE, MUTED, "dash")
    assert before.hovertext[1] == "shop@1.0: 50% of loads at most 1.20 s"


def test_the_label_of_a_low_p75_is_not_on_the_axis() -> None:
    quick = Side("shop@1.0", [100.0, 150.0, 200.0], 200.0)
    figure = release_charts.before_and_after(quick, AFTER, LEVELS, "worse", "LCP", Unit.MS)
    assert [trace.textposition for trace in figure.data] == ["bottom right", "bottom right"]


def test_a_release_without_a_verdict_has_no_colour_that_means_one() -> None:
    figure = release_charts.before_and_after(BEFORE, AFTER, LEVELS, "no_change", "LCP", Unit.MS)
    assert figure.data[0].line.color is None


def test_the_figures_are_drawn_by_the_served_bundle_with_words_of_python() -> None:
    for figure in (
        release_charts.effects([bar("worse", 0.1, 0.3)], 0.3),
        release_charts.before_and_after(BEFORE, AFTER, LEVELS, "worse", "LCP", Unit.MS),
    ):
        assert {trace["type"] for trace in document(figure)["data"]} <= charts.TRACE_TYPES
        assert all(trace.hovertext for trace in figure.data)
        assert figure.layout.xaxis.ticktext
