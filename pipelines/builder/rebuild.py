"""Rebuilds windows that are already built: the days that a person names."""

from collections.abc import Collection, Sequence
from datetime import date, datetime

from errata.clock import EPOCH
from errata.errors import ErrataError
from errata.warehouse.client import Warehouse
from errata.warehouse.disk import BUILDS_BOUND, Bound
from errata.warehouse.published import condition
from errata.warehouse.queries.delivery.set_aside import standing
from pipelines.builder.build import Build, held
from pipelines.builder.deferral import Plan
from pipelines.builder.lease import Pace
from pipelines.builder.mart import BuildReport, Mart, Partition, Window


class NotBuilt(ErrataError):
    """The mart has no first build yet, so its windows are unknown."""

    code = "mart_not_built"

    def __init__(self, mart: str) -> None:
        super().__init__(f"{mart} has never been built: bring it up to date first, then rebuild days of it")
        self.mart = mart


def rebuild(
    warehouse: Warehouse,
    mart: Mart,
    days: Collection[date],
    pace: Pace | None = None,
    bound: Bound = BUILDS_BOUND,
) -> BuildReport:
    """Computes the windows of these days anew; the mart's watermark and its other days stay.

    Windows whose raw rows may be gone stay too. Raises NotBuilt, and the errors of `build`.
    """
    with held(warehouse, mart, pace or Pace(), bound) as work:
        build_log = work.build_log
        watermark = build_log.watermark(mart.name)
        if watermark == EPOCH:
            raise NotBuilt(mart.name)
        # A mart built from another one is computed from all published rows there.
        until = build_log.watermark(mart.source) if mart.source else watermark
        waiting = [one for one in build_log.waiting(mart.name) if one.start.date() not in days]
        work.set_aside = standing(work.attempt, mart.name)
        if mart.partition is Partition.SNAPSHOT:
            # It copies rows without news from its last version: now it finds none to copy.
            work.attempt.published = {**work.attempt.published, mart.table: condition(())}
        return work.publish(Plan(_windows(work, days, until), waiting), until, watermark)


def _windows(work: Build, days: Collection[date], until: datetime) -> Sequence[Window]:
    mart, build_log = work.mart, work.build_log
    if mart.source:
        known = sorted(build_log.published_days().intersection(days))
        # Of unknown size: an insert for each day.
        return [
            Window(start, EPOCH, until, mart.rows_an_insert // len(starts), frozenset())
            for starts in map(mart.windows_of, known)
            for start in starts
        ]
    starts = [start for day in sorted(days) for start in mart.windows_of(day)]
    # A killed build may have recorded arrivals that no build has counted yet.
    return [one for one in work.with_all_arrivals(starts, until) if one.first_received_at < until]
