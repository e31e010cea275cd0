"""The weeks and days of a trend, and the releases that began in its time."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from errata.performance.filters import Filters
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance import release_starts
from errata.warehouse.queries.performance.page_views import TrendRow
from errata.warehouse.queries.period import since_of


def every_week(weeks: Sequence[TrendRow], since: date, today: date) -> list[TrendRow]:
    """Weeks without views are part of the picture."""
    known = {week.start: week for week in weeks}
    monday = since - timedelta(days=since.weekday())
    answer = []
    while monday <= today:
        answer.append(known.get(monday) or TrendRow(monday, 0, 0, None, None, None, None))
        monday += timedelta(weeks=1)
    return answer


def every_day(days: Sequence[TrendRow], since: date, today: date) -> list[TrendRow]:
    """Days without views are part of the picture."""
    known = {day.start: day for day in days}
    starts = [since + timedelta(days=number) for number in range((today - since).days + 1)]
    return [known.get(day) or TrendRow(day, 0, 0, None, None, None, None) for day in starts]


def deploys(warehouse: Warehouse, filters: Filters) -> list[tuple[datetime, str]]:
    since = since_of(filters.period, filters.now)
    return release_starts.deploys(warehouse, filters.projects, since, filters.environment)
