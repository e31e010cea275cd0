"""Rules about vitals of pages: figures of the whole period, shown by a load that was looked at."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from errata.performance.causes import Cause
from errata.recommendations.cause_rules import INP_MS, cause_said
from errata.recommendations.measured import Measured, nearest
from errata.recommendations.recommendation import Example, Recommendation, Rule
from errata.reports import formats
from errata.warehouse.queries.performance.page_views import NAVIGATE, PageRow
from errata.warehouse.queries.performance.sampled_loads import PageLoad

# "Needs improvement" begins there: web.dev/articles/vitals, web.dev/articles/ttfb.
TTFB_MS, LCP_MS, CLS = 800, 2500, 0.1
CAUSES = {metric.value: metric for metric in Cause}


@dataclass(frozen=True, slots=True)
class _Vital:
    rule: Rule
    name: str
    good: float

    def said(self, value: float) -> str:
        if self.rule is Rule.SLOW_FIRST_BYTE:
            return f"The first byte takes {formats.duration(value)} (p75); up to {TTFB_MS} ms is good."
        if self.rule is Rule.LATE_LCP:
            return (
                f"The largest content is painted after {formats.duration(value)} (p75); up to 2.5 s is good."
            )
        if self.rule is Rule.SLOW_INTERACTION:
            return f"Interactions are answered after {formats.duration(value)} (p75); up to 200 ms is good."
        return f"The layout shifts by {formats.score(value)} (p75); up to {CLS} is good."


VITALS = (
    _Vital(Rule.SLOW_FIRST_BYTE, "ttfb_ms", TTFB_MS),
    _Vital(Rule.LATE_LCP, "lcp_ms", LCP_MS),
    _Vital(Rule.LAYOUT_SHIFT, "cls", CLS),
    _Vital(Rule.SLOW_INTERACTION, "inp_ms", INP_MS),
)


def of_pages(pages: Sequence[PageRow], loads: Sequence[PageLoad]) -> Iterator[Recommendation]:
    by_page: dict[str, list[PageLoad]] = {}
    for load in loads:
        by_page.setdefault(load.page, []).append(load)
    for row in pages:
        for vital in VITALS if row.navigation_type == NAVIGATE else ():
            p75 = row[vital.name].p75
            if p75 is not None and p75 > vital.good:
                yield _found(vital, row, p75, by_page.get(row.page, []))


def _found(vital: _Vital, row: PageRow, p75: float, loads: Sequence[PageLoad]) -> Recommendation:
    shown = [
        Measured(row.page, load, (value,), url=load.lcp_url if vital.rule is Rule.LATE_LCP else "")
        for load in loads
        if (value := _measured(load, vital.name)) is not None
    ]
    return Recommendation(
        vital.rule,
        row.page,
        vital.said(p75) + (cause_said(CAUSES[vital.name], loads) if vital.name in CAUSES else ""),
        row.view_count,
        None if vital.rule is Rule.LAYOUT_SHIFT else p75 - vital.good,
        page=row.page,
        user_count=len({one.load.user_hash for one in shown} - {0}) if shown else None,
        example=Example.of(nearest(shown, p75)) if shown else None,
    )


def _measured(load: PageLoad, name: str) -> float | None:
    value: float | None
    if name == Cause.INP:
        cause = load.causes.get(Cause.INP)
        value = cause.value if cause else None
    else:
        value = getattr(load, name)
    return value
