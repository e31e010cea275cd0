"""How long raw rows are kept, in days; the migrations say the same, and a test holds the two together."""

RETENTION_DAYS = {
    "errata_raw.error_events": 90,
}
# Rows near their end may be gone from one part and not from another: nothing is rebuilt from the last days.
MARGIN_DAYS = 2

TABLE_OF_TYPE = {
    "event": "errata_raw.error_events",
}


def horizon_days(item_type: str) -> int:
    """An item older than this is accepted and not counted."""
    return RETENTION_DAYS[TABLE_OF_TYPE[item_type]] - MARGIN_DAYS
