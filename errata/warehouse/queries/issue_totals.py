"""The issue list of a standard period by what builds have counted, and what came since.

Steps, each small: what came since the build; where variants belong that it did not know or knew otherwise;
the page, out of all of that; what the list shows of the fifty of the page. They name the build they read, and
are asked again if another one is swapped in meanwhile.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from time import monotonic

from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.answer import Answer
from errata.warehouse.queries.asked import Asked
from errata.warehouse.queries.counted_answer import CountedAnswer
from errata.warehouse.queries.matched_answer import MatchedAnswer, likely_first
from errata.warehouse.queries.matching import CountedFurther, matching_of
from errata.warehouse.queries.moved_issues import Moment
from errata.warehouse.queries.since_build import SinceBuild, since_build, version_of
from errata.warehouse.queries.totals_answer import TotalsAnswer

TRIES = 5
# A version that was true so shortly before is tried first: what is read is compared with the one after.
TRUSTED_SECONDS = 60


@dataclass(frozen=True)
class Answered:
    """`looked_at`: events read for it. `moment`: before anything was read."""

    rows: list[Row]
    looked_at: int
    moment: Moment


def rows_by_totals(warehouse: Warehouse, asked: Asked) -> Answered | None:
    """A page; None where no build helps."""
    version = _trusted_version(warehouse, asked)
    for _ in range(TRIES):
        since = since_build(warehouse, asked.build, version)
        found = _answered(warehouse, asked, since) if since else None
        # Builds only go on: what was asked for last tells of all that was asked for before.
        latest = _latest_version(warehouse, asked)
        if latest["built_through"] == version["built_through"] and (found or not since):
            return found
        version = latest
    return None


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


@dataclass
class LastVersion:
    """`read_at`: by this machine's steady clock."""

    version: Row | None = None
    read_at: float = 0


@lru_cache(maxsize=256)
def _last_version(_warehouse: Warehouse, _project_id: int, _period: str, _since: datetime) -> LastVersion:
    return LastVersion()


def _trusted_version(warehouse: Warehouse, asked: Asked) -> Row:
    last = _last_version(warehouse, *asked.build.values())
    if last.version is not None and monotonic() - last.read_at < TRUSTED_SECONDS:
        return last.version
    return _latest_version(warehouse, asked)


def _latest_version(warehouse: Warehouse, asked: Asked) -> Row:
    version = version_of(warehouse, asked.build)
    last = _last_version(warehouse, *asked.build.values())
    last.version, last.read_at = version, monotonic()
    return version
