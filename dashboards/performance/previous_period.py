"""What the load time of a period is compared with, in words."""

from errata.period import TimeRange
from errata.reports import formats
from errata.warehouse.queries.performance.page_views import FEWEST_TO_COMPARE, PageRow


def previous_words(row: PageRow, chosen: TimeRange) -> str:
    """The loads of the previous period and its ends, or why there is no change."""
    loads = formats.plural(row.view_count_before, "load")
    compared = f"{loads} in previous period, {formats.span(chosen.before, chosen.since)}"
    fewest = min(row.view_count, row.view_count_before)
    return f"vs {compared}" if fewest >= FEWEST_TO_COMPARE else f"too few to compare: {compared}"
