"""A metric before and after a release, as it is spread over page loads."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance.releases import ReleaseRow

# As releases are compared with the one before.
BASELINE = timedelta(days=7)
# What the quantiles of a side are of: 0.05 to 0.95.
LEVELS = tuple(round(number / 20, 2) for number in range(1, 20))


@dataclass(frozen=True, slots=True)
class Spread:
    """`quantiles` are those of LEVELS, in the metric's unit."""

    release: str
    sample_count: int
    quantiles: Sequence[float]


@dataclass(frozen=True, slots=True)
class BeforeAndAfter:
    before: Spread
    after: Spread


def before_and_after(
    warehouse: Warehouse, project_id: int, of: ReleaseRow, page: str, metric: str
) -> BeforeAndAfter | None:
    """The loads that the release was judged by; None where one side has none (any more)."""
    judged_through = of.first_view_at + timedelta(hours=of.look_hours)
    rows = warehouse.rows(
        sql.query("distribution_of_release"),
        {
            "project_id": project_id,
            "environment": of.environment,
            "after": of.release,
            "before": of.previous_release,
            "began": of.first_view_at,
            "since": of.first_view_at - BASELINE,
            "until": judged_through if of.look_hours else of.built_through,
            "page": page,
            "metric": metric,
        },
    )
    sides = {bool(row["is_after"]): row for row in rows}
    if len(sides) < 2:
        return None
    before, after = (
        Spread(release, sides[is_after]["sample_count"], sides[is_after]["quantiles"])
        for is_after, release in ((False, of.previous_release), (True, of.release))
    )
    return BeforeAndAfter(before, after)
