"""The longest time between receipts of rows that belong together; builds and readers search that far."""

from datetime import timedelta

PART_WAITS = timedelta(days=2)
"""A part or resource may be received this long before or after its load."""
