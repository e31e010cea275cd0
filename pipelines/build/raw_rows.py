"""Which raw rows a statement about windows reads, by the moment they happened and by that of receipt."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from pipelines.build.mart import Window
from pipelines.build.receipt_days import receipt_days, spanned

MILLISECOND = timedelta(milliseconds=1)


def raw_rows(
    starts: Sequence[datetime],
    length: timedelta,
    arrivals: Sequence[Window],
    received_from: datetime,
    received_to: datetime,
) -> dict[str, Any]:
    """Parameters of models and recounts: `starts` of windows in order, each of one `length`; `arrivals`: when
    rows of them came, of which those received in a half-open span are meant.

    `is_every_window` and `is_every_day` say that the bounds leave nothing between out: rows then need not be
    looked up one by one.
    """
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
