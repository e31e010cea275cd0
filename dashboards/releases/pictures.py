"""What a release changed as pictures: its effects in order of importance, and what of them is drawn."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from dashboards.releases.view import METRICS, Judged, figure, judged, scale_of
from dashboards.shared.addresses import View
from dashboards.shared.chart_json import chart_json
from dashboards.shared.verdicts import VERDICTS
from errata.performance.metric import PAGE_METRICS
from errata.reports import formats, release_charts
from errata.reports.release_charts import EffectBar, Side
from errata.statistics.verdict import CHANGES, Verdict
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance.release_distribution import LEVELS, before_and_after
from errata.warehouse.queries.performance.releases import LOAD, Effect, ReleaseRow

# Of a chart; the tables have them all.
MOST_ROWS = 20
# No estimate is cut off, as the end of an interval may be.
LEAST_ROOM = 1.15
# Under another name where releases are compared.
UNIT_OF = {"js_bytes": "script_bytes"}
ORDER = (Verdict.WORSE, Verdict.BETTER, Verdict.NO_CHANGE, Verdict.NOT_ENOUGH_DATA)


@dataclass(frozen=True, slots=True)
class EffectsPicture:
    """`words` are for whom the figure is not drawn."""

    figure: Markup
    words: str
    shown: int
    drawable: int
    has_others: bool
    """Whether a metric that may be 0 was compared, too."""


def in_importance(effects: Iterable[Effect]) -> list[Effect]:
    """Worse before better, in each the surest change first; then what did not change, and what is unknown."""
    return sorted(effects, key=_importance)


def effects_picture(effects: Sequence[Effect], view: View) -> EffectsPicture | None:
    """The relative effects that matter most; None without any. A metric that may be 0 has none."""
    relative = [one for one in in_importance(effects) if one.ratio is not None]
    if not relative:
        return None
    drawable = relative[:MOST_ROWS]
    scale = max(scale_of(drawable), *(LEAST_ROOM * abs(one.ratio.value) for one in drawable if one.ratio))
    bars = [_bar(judged(one, scale), view) for one in drawable]
    drawn = chart_json(release_charts.effects(bars, scale))
    return EffectsPicture(
        figure=drawn,
        words=f"Effects with 95% intervals: {bars[0].words}",
        shown=len(bars),
        drawable=len(relative),
        has_others=len(relative) < len(effects),
    )


@dataclass(frozen=True, slots=True)
class SpreadPicture:
    """The metric of one effect before and after; no figure where loads of a side are no longer there."""

    name: str
    figure: Markup | None
    words: str
    loads: str


def spread_picture(
    warehouse: Warehouse, project_id: int, of: ReleaseRow, effects: Sequence[Effect], view: View
) -> SpreadPicture | None:
    """Of the effect that the address names, else of the load time of all pages, which the verdict is about,
    else of what matters most; None without any."""
    wanted = (view["page"], view["metric"] or LOAD)
    found = in_importance(effects)
    effect = next((one for one in found if (one.page, one.metric) == wanted), next(iter(found), None))
    if effect is None:
        return None
    spread = before_and_after(warehouse, project_id, of, effect.page, effect.metric)
    before, after = (figure(effect.metric, value) for value in (effect.before_p75, effect.after_p75))
    words = f"p75 {before} → {after}"
    if spread is None:
        return SpreadPicture(name_of(effect), None, words, "")
    earlier = Side(spread.before.release, spread.before.quantiles, effect.before_p75)
    later = Side(spread.after.release, spread.after.quantiles, effect.after_p75)
    unit = PAGE_METRICS[UNIT_OF.get(effect.metric, effect.metric)].unit
    drawn = release_charts.before_and_after(
        earlier, later, LEVELS, effect.verdict, METRICS[effect.metric], unit
    )
    compared = f"{formats.count(effect.before_count)} and {formats.count(effect.after_count)}"
    loads = (
        f"{formats.plural(spread.before.sample_count, 'load')} of {of.previous_release} and "
        f"{formats.count(spread.after.sample_count)} of {of.release}, of which {compared} have a counterpart "
        "to be compared with"
    )
    return SpreadPicture(name_of(effect), chart_json(drawn), words, loads)


def name_of(effect: Effect) -> str:
    return f"{METRICS[effect.metric]} · {effect.page or 'all pages'}"


def _importance(effect: Effect) -> tuple[int, float, bool, int, str, str]:
    rank, ratio = ORDER.index(Verdict(effect.verdict)), effect.ratio
    least = min(abs(ratio.low), abs(ratio.high)) if ratio and effect.verdict in CHANGES else 0.0
    is_headline = not effect.page and effect.metric == LOAD
    return rank, -least, not is_headline, -effect.after_count, effect.page, effect.metric


def _bar(row: Judged, view: View) -> EffectBar:
    effect = row.effect
    assert effect.ratio is not None and row.bar is not None
    interval = f"95% interval {row.bar.words}"
    told = f"{row.change} ({interval})" if row.change else interval
    return EffectBar(
        name=name_of(effect),
        verdict=effect.verdict,
        verdict_words=VERDICTS[row.word],
        value=effect.ratio.value if row.change else None,
        low=effect.ratio.low,
        high=effect.ratio.high,
        words=f"{name_of(effect)}: {told}, {VERDICTS[row.word].lower()}",
        address=view.address(page=effect.page, metric=effect.metric) + "#distribution",
    )
