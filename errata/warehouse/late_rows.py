"""How far apart rows that belong together may be received: builds and readers look as far."""

from datetime import timedelta

PART_WAITS = timedelta(days=2)
"""So long a part, or a resource, may come before its load, or after it."""
