"""The recommendations of a project, as of the last build."""

from dataclasses import dataclass
from datetime import datetime

from errata.performance.filters import Filters
from errata.recommendations.ranking import FEWEST_LOADS, Observed, recommendations
from errata.recommendations.recommendation import Recommendation
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance.endpoints import endpoints
from errata.warehouse.queries.performance.page_views import DAYS, LOADS, NAVIGATE, pages
from errata.warehouse.queries.performance.refetched import refetched_files
from errata.warehouse.queries.performance.sampled_loads import sampled_loads
from errata.warehouse.queries.progress import once_a_build


@dataclass(frozen=True, slots=True)
class Recommended:
    """`looked_at`: how many loads rules read one by one; `one_of`: 1 means all, 8 every eighth."""

    rows: list[Recommendation]
    as_of: datetime | None
    looked_at: int
    one_of: int


def recommended(warehouse: Warehouse, filters: Filters) -> Recommended:
    """Reading loads one by one takes longer than a page may: once a build."""
    asked = {"projects": filters.projects, "since": filters.range.since}
    found, _ = once_a_build(
        warehouse,
        ("recommendations", filters.chosen),
        asked,
        (DAYS, LOADS),
        lambda read, build: _recommended(read, filters, build.as_of),
    )
    return found


def _recommended(warehouse: Warehouse, filters: Filters, as_of: datetime | None) -> Recommended:
    shown = pages(warehouse, filters, is_compared=False).rows
    load_count = sum(row.view_count for row in shown if row.navigation_type == NAVIGATE)
    looked_at = sampled_loads(warehouse, filters, load_count)
    observed = Observed(
        shown,
        looked_at,
        endpoints(warehouse, filters, "page").rows,
        endpoints(warehouse, filters).rows,
        refetched_files(warehouse, filters, load_count, FEWEST_LOADS),
    )
    return Recommended(recommendations(observed), as_of, len(looked_at.loads), looked_at.one_of)
