"""Every mart, in the order they are built in: a source stands before what is built from it."""

from datetime import timedelta

from errata.warehouse.builds.mart import Mart

VARIANT_HOURLY = Mart(
    name="variant_hourly",
    dirty="dirty_hours_of_error_events",
    column="hour",
    window=timedelta(hours=1),
    raw="errata_raw.error_events",
)
VARIANT_DAILY = Mart(
    name="variant_daily",
    dirty="dirty_days_of_variant_hourly",
    column="day",
    source="variant_hourly",
)

MARTS = (VARIANT_HOURLY, VARIANT_DAILY)
