"""The issue list of a standard period by what builds have counted, and what came since.

Steps, each small: what came since the build; where variants belong that it did not know or knew otherwise;
the page, out of all of that; what the list shows of the fifty of the page. All of them read the same builds.
"""

from dataclasses import dataclass

from errata.warehouse.client import Row, Warehouse
from errata.warehouse.published import one_snapshot
from errata.warehouse.queries.answer import Answer
from errata.warehouse.queries.asked import Asked
from errata.warehouse.queries.counted_answer import CountedAnswer
from errata.warehouse.queries.matched_answer import MatchedAnswer, likely_first
from errata.warehouse.queries.matching import CountedFurther, matching_of
from errata.warehouse.queries.moved_issues import Moment
from errata.warehouse.queries.since_build import SinceBuild, since_build, version_of
from errata.warehouse.queries.totals_answer import TotalsAnswer


@dataclass(frozen=True)
class Answered:
    """`looked_at`: events read for it. `moment`: before anything was read."""

    rows: list[Row]
    looked_at: int
    moment: Moment


def rows_by_totals(warehouse: Warehouse, asked: Asked) -> Answered | None:
    """A page; None where no build helps."""
    with one_snapshot():
        since = since_build(warehouse, asked.build, version_of(warehouse, asked.build))
        return _answered(warehouse, asked, since) if since else None


def _answered(warehouse: Warehouse, asked: Asked, since: SinceBuild) -> Answered | None:
    try:
        answer = _answer(warehouse, asked, since)
        rows = answer.rows()
    except CountedFurther:
        answer = CountedAnswer(warehouse, asked, since)
        rows = answer.rows()
    found = Answered(rows, answer.looked_at(), since.arrivals.moment)
    return found if since.has_its_variants() else None


def _answer(warehouse: Warehouse, asked: Asked, since: SinceBuild) -> Answer:
    if asked.is_by_totals:
        return TotalsAnswer(warehouse, asked, since)
    matching = matching_of(warehouse, asked, since, lambda: likely_first(warehouse, asked, since))
    if matching is None:
        return CountedAnswer(warehouse, asked, since)
    return MatchedAnswer(warehouse, asked, since, matching)
