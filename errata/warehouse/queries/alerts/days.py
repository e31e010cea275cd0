"""Spans of history to examine in one question, the latest first."""

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta

from errata.warehouse import sql
from errata.warehouse.queries.alerts.events import Events

DAY = timedelta(days=1)

Span = tuple[datetime, datetime]


def spans_of_days(since: datetime, until: datetime, days: int) -> Iterator[Span]:
    """Spans from midnight to midnight, except for the first and the last."""
    end = until
    while end > since:
        begin = max(since, _midnight(end - timedelta(milliseconds=1)) - (days - 1) * DAY)
        yield begin, end
        end = begin


def spans_of_events(events: Events, since: datetime, until: datetime, most: int) -> Iterator[Span]:
    """Spans of days with about this many events together; a busier day is divided."""
    scope = {"project_id": events.project_id, "since": since, "until": until}
    counts = {row["day"]: row["event_count"] for row in events.warehouse.rows(sql.query("alert_days"), scope)}
    end, total = until, 0
    for begin, day_end in spans_of_days(since, until, 1):
        count = counts.get(begin.date(), 0)
        if count > most:
            if day_end < end:
                yield day_end, end
            yield from _divided(begin, day_end, -(-count // most))
            end, total = begin, 0
        elif total + count > most:
            yield day_end, end
            end, total = day_end, count
        else:
            total += count
    if end > since:
        yield since, end


def _divided(since: datetime, until: datetime, parts: int) -> Iterator[Span]:
    bounds = [since + (until - since) * number / parts for number in range(parts + 1)]
    yield from zip(reversed(bounds[:-1]), reversed(bounds[1:]), strict=True)


def _midnight(moment: datetime) -> datetime:
    return datetime.combine(moment.astimezone(UTC).date(), time(), UTC)
