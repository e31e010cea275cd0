"""Every mart of SQL in build order: a source comes before its dependents."""

from datetime import timedelta

from pipelines.builder.mart import Mart, Partition

VARIANT_HOURLY = Mart(
    name="variant_hourly",
    dirty="dirty_hours_of_error_events",
    column="hour",
    window=timedelta(hours=1),
    raw="errata_raw.error_events",
)
REPEATED_EVENTS = Mart(
    name="repeated_events",
    dirty=VARIANT_HOURLY.dirty,
    column="hour",
    window=timedelta(hours=1),
    raw="errata_raw.error_events",
    # Most hours have no copies.
    has_every_window=False,
)
VARIANT_DAILY = Mart(
    name="variant_daily",
    dirty="dirty_days_of_variant_hourly",
    column="day",
    source="variant_hourly",
)
VARIANT_TOTALS = Mart(
    name="variant_totals",
    dirty="dirty_totals_of_variant_daily",
    partition=Partition.SNAPSHOT,
    source="variant_daily",
    beside=("variant_hourly",),
    sliced_by="variant_daily",
)
VARIANT_RELEASES = Mart(
    name="variant_releases",
    dirty="dirty_releases_of_variant_daily",
    partition=Partition.SNAPSHOT,
    source="variant_daily",
    sliced_by="variant_daily",
)
ISSUE_TOTALS = Mart(
    name="issue_totals",
    dirty="dirty_issue_totals_of_variant_totals",
    partition=Partition.SNAPSHOT,
    source="variant_totals",
    sliced_by="variant_totals",
)
ISSUES = Mart(
    name="issues",
    dirty="dirty_issues_of_issue_totals",
    partition=Partition.SNAPSHOT,
    source="issue_totals",
    sliced_by="issue_totals",
)

PAGE_LOADS = Mart(
    name="page_loads",
    dirty="dirty_hours_of_page_views",
    column="hour",
    window=timedelta(hours=1),
    raw="errata_raw.page_views",
    defers_late_days=True,
    rows_an_insert=600_000,
    is_sliced_by_cell=True,
    has_known_memory=True,
)
PAGE_METRICS_DAILY = Mart(
    name="page_metrics_daily",
    dirty="dirty_days_of_page_loads",
    column="day",
    source="page_loads",
    rows_an_insert=1_000_000,
    is_sliced_by_cell=True,
    has_known_memory=True,
)
ENDPOINT_METRICS_DAILY = Mart(
    name="endpoint_metrics_daily",
    dirty="dirty_days_of_requests",
    column="day",
    raw="errata_raw.requests",
    defers_late_days=True,
    has_known_memory=True,
)
RESOURCE_METRICS_DAILY = Mart(
    name="resource_metrics_daily",
    dirty="dirty_days_of_page_resources",
    column="day",
    raw="errata_raw.page_resources",
    defers_late_days=True,
    rows_an_insert=3_500_000,
    is_sliced_by_cell=True,
    has_known_memory=True,
)
PAGE_METRICS_HOURLY = Mart(
    name="page_metrics_hourly",
    dirty="dirty_hours_of_page_loads",
    column="hour",
    window=timedelta(hours=1),
    source="page_loads",
    rows_an_insert=1_000_000,
    is_sliced_by_cell=True,
    has_known_memory=True,
)
ENDPOINT_METRICS_HOURLY = Mart(
    name="endpoint_metrics_hourly",
    dirty="dirty_hours_of_requests",
    column="hour",
    window=timedelta(hours=1),
    raw="errata_raw.requests",
    defers_late_days=True,
    has_known_memory=True,
)
PAGE_CAUSES_DAILY = Mart(
    name="page_causes_daily",
    dirty=PAGE_METRICS_DAILY.dirty,
    column="day",
    source="page_loads",
    # A day may measure none of the vitals.
    has_every_window=False,
    rows_an_insert=1_000_000,
    is_sliced_by_cell=True,
    has_known_memory=True,
)
WEEKLY_TRENDS = Mart(
    name="weekly_trends",
    dirty="dirty_weeks_of_page_metrics_daily",
    column="week",
    window=timedelta(days=7),
    source="page_metrics_daily",
    rows_an_insert=500_000,
    has_known_memory=True,
)
DELIVERY_DAILY = Mart(
    name="delivery_daily",
    dirty="dirty_days_of_deliveries",
    column="day",
    raw="errata_raw.deliveries",
)

ERRORS = (
    VARIANT_HOURLY,
    REPEATED_EVENTS,
    VARIANT_DAILY,
    VARIANT_TOTALS,
    VARIANT_RELEASES,
    ISSUE_TOTALS,
    ISSUES,
)
PERFORMANCE = (
    PAGE_LOADS,
    PAGE_METRICS_DAILY,
    ENDPOINT_METRICS_DAILY,
    RESOURCE_METRICS_DAILY,
    PAGE_METRICS_HOURLY,
    ENDPOINT_METRICS_HOURLY,
    PAGE_CAUSES_DAILY,
    WEEKLY_TRENDS,
    DELIVERY_DAILY,
)
MARTS = (*ERRORS, *PERFORMANCE)


def group_of(mart: Mart) -> str:
    """The group of a mart: one job brings a group up to date."""
    return "errors" if mart in ERRORS else "performance"
