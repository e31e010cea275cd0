"""Days of retention of raw rows; the migrations say the same, and a test compares the two."""

RETENTION_DAYS = {
    "errata_raw.error_events": 90,
    "errata_raw.page_views": 400,
    "errata_raw.page_resources": 400,
    "errata_raw.requests": 400,
    "errata_raw.spans": 30,
    "errata_raw.sessions": 90,
    "errata_raw.replay_segments": 30,
    "errata_raw.deliveries": 400,
    "errata_raw.rejected_items": 7,
    "errata_raw.outcomes": 90,
    "errata_raw.names_seen": 30,
}
# Rows near their end may be gone from one part and not from another: the last days are never rebuilt.
MARGIN_DAYS = 2

# The table whose rows are counted; rows that an item adds to other tables may expire earlier.
TABLE_OF_TYPE = {
    "event": "errata_raw.error_events",
    "transaction": "errata_raw.page_views",
    "span": "errata_raw.page_views",
    "session": "errata_raw.sessions",
    "sessions": "errata_raw.sessions",
    "replay_event": "errata_raw.replay_segments",
    "replay_recording": "errata_raw.replay_segments",
}


def horizon_days(item_type: str) -> int:
    """Items older than this are accepted and not counted."""
    return countable_days(TABLE_OF_TYPE[item_type])


def countable_days(table: str) -> int:
    """Rows older than this are counted by no build."""
    return RETENTION_DAYS[table] - MARGIN_DAYS


def rebuildable_days(table: str) -> int:
    """Windows older than this are never computed from raw again: some of their rows may be gone.

    A day longer than the horizon of items, so that the next build counts every accepted item.
    """
    return RETENTION_DAYS[table] - MARGIN_DAYS + 1
