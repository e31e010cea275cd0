"""The axis of time of a chart: the one place that chooses from when to when a chart shows."""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any

from errata.reports import formats

# As many as a telephone shows side by side.
MOST_LABELS = 6
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
# A young project has a chart of its own days; one point is no chart.
FEWEST_STEPS = 4
# Room beside the first and the last moment is one part of the time between them.
PARTS = 40


def date_axis(
    starts: Sequence[date],
    step: timedelta,
    of: tzinfo,
    hover_format: str,
    known: Iterable[date] | None = None,
) -> dict[str, Any]:
    """From the first start to the end of the last step; from near the first of the `known` moments if
    nothing was measured before, as the title then says.

    A step of zero is that of moments, which have room on both sides. `of` is the zone of the chart, which the
    title names where clocks were changed within it.
    """
    axis: dict[str, Any] = {
        "type": "date",
        "tickformatstops": list(formats.AXIS_TICKS),
        "hoverformat": hover_format,
        "nticks": MOST_LABELS + 1,
    }
    if not starts:
        return axis
    since, until = starts[0], starts[-1] + step
    shown_step = step or (until - since) / PARTS or HOUR
    if not step:
        since, until = since - shown_step, until + shown_step
    begin, notes = since, list[str]()
    if first := min(known, default=None) if known is not None else None:
        begin = max(since, min(first - shown_step, until - FEWEST_STEPS * shown_step))
        if begin > since:
            notes.append(f"no data before {formats.day(first)}")
    if formats.chart_zone(begin, step) != of:
        notes.append(f"times in {of.tzname(None)}")
    if notes:
        axis["title"] = {"text": ", ".join(notes)}
    axis["range"] = [formats.chart_moment(begin, of), formats.chart_moment(until, of)]
    if step and step % DAY == timedelta():
        # Of a day at noon, where its values are; of a week at the start, which it is named by.
        count = -(-(until - begin) // step // MOST_LABELS)
        axis |= {
            "tick0": formats.chart_moment(_noon(since) if step == DAY else since, of),
            "dtick": step / timedelta(milliseconds=1) * max(1, count),
        }
    return axis


def _noon(day: date) -> datetime:
    start = day if isinstance(day, datetime) else datetime(day.year, day.month, day.day, tzinfo=UTC)
    return start + DAY / 2
