"""Percentiles that a filter makes estimates of are said to be estimates."""

from dataclasses import replace
from datetime import UTC, datetime

from errata.performance.filters import Filters
from errata.period import Period
from errata.warehouse.queries.performance.page_views import NAVIGATE, PageRow
from tests.cases import each

FILTERS = Filters([1], Period("14d"), datetime(2026, 11, 28, tzinfo=UTC))


@each(
    ("filters", "view_count", "is_estimated"),
    [
        (FILTERS, 5_000, False),
        (replace(FILTERS, environment="production", release="1"), 5_000, False),
        (replace(FILTERS, device="mobile"), 999, False),
        (replace(FILTERS, device="mobile"), 1_000, True),
        (replace(FILTERS, browser="Firefox"), 1_000, True),
        (replace(FILTERS, country="DE"), 1_000, True),
    ],
)
def test_pages_of_a_thousand_loads_are_estimated_with_filters_that_days_lack(
    filters: Filters, view_count: int, is_estimated: bool
) -> None:
    row = PageRow("/", NAVIGATE, view_count, {}, None, None, 0, {})
    assert row.is_estimated(filters) is is_estimated
