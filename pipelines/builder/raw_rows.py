"""Parameters that bound the raw rows of windows, by occurrence and by receipt."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from pipelines.builder.mart import Window
from pipelines.builder.receipt_days import receipt_days, spanned

MILLISECOND = timedelta(milliseconds=1)


def raw_rows(
    starts: Sequence[datetime],
    length: timedelta,
    arrivals: Sequence[Window],
    received_from: datetime,
    received_to: datetime,
) -> dict[str, Any]:
    """Parameters of models and recounts. `starts`: windows in order, each of one `length`; `arrivals`:
    receipts of their rows, of which a half-open span counts. `is_every_window` and `is_every_day` are true if
    the bounds have no gaps: rows then need no look-up one by one."""
    end = starts[-1] + length
    days = receipt_days(arrivals)
    return {
        "windows": list(starts),
        "window_start": starts[0],
        "window_end": end,
        "is_every_window": len(starts) * length == end - starts[0],
        "received_from": received_from,
        "received_to": received_to,
        "is_every_day": spanned(received_from, received_to - MILLISECOND) <= set(days["receipt_days"]),
        **days,
    }
