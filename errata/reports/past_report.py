"""Reports of days that are over: one week, or the days of one release. The same build, the same bytes."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

from errata.budgets.history import History
from errata.errors import InvalidParameter
from errata.reports.performance_report import MOST_RELEASES, MOST_ROWS, TREND_WEEKS, PerformanceReport
from errata.state.budgets import Budget
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance import releases, whole_days
from errata.warehouse.queries.performance.endpoints import endpoints
from errata.warehouse.queries.performance.release_starts import deploys
from errata.warehouse.queries.performance.releases import Effect, ReleaseRow
from errata.warehouse.queries.performance.resources import Choice, breakdown
from errata.warehouse.queries.performance.whole_days import WEEK, Days

# A release that stays longer is told by its last days.
LONGEST_RELEASE = timedelta(days=92)
MOST_WEEKS_BACK = 104


def monday_of(week: str, today: date) -> date:
    """`2026-W47` is a week of ISO 8601. Raises InvalidParameter unless it is over, and not for two years."""
    try:
        year, number = week.split("-W")
        monday = date.fromisocalendar(int(year), int(number), 1)
    except ValueError as error:
        raise InvalidParameter("week", "an ISO 8601 week such as 2026-W47") from error
    if monday + WEEK > today:
        raise InvalidParameter("week", f"{week} is not over yet")
    if monday < today - MOST_WEEKS_BACK * WEEK:
        raise InvalidParameter("week", f"one of the last {MOST_WEEKS_BACK}")
    return monday


def week_name(monday: date) -> str:
    """As people and `<input type=week>` write it."""
    year, number, _ = monday.isocalendar()
    return f"{year}-W{number:02}"


def past_weeks(today: date, count: int) -> list[date]:
    """Mondays of the weeks that are over, the latest first."""
    last = today - timedelta(days=today.weekday() + 7)
    return [last - number * WEEK for number in range(count)]


def week_report(
    warehouse: Warehouse,
    project_id: int,
    project: str,
    monday: date,
    environment: str,
    budgets: Sequence[tuple[Budget, History]],
) -> PerformanceReport:
    days = Days(project_id, monday, monday + WEEK, environment)
    trend = replace(days, since=days.until - TREND_WEEKS * WEEK)
    since = datetime.combine(monday, time(), UTC)
    judged = releases.releases(warehouse, project_id, since, environment)
    report = _report(
        warehouse,
        project,
        f"{project}: week {monday.isocalendar().week} of {monday.isocalendar().year}",
        days,
    )
    return replace(
        report,
        steps=whole_days.load_time_over(warehouse, trend, step_days=7),
        deploys=_deploys(warehouse, trend),
        releases=[row for row in judged if row.first_view_at < since + WEEK][:MOST_RELEASES],
        budgets=list(_in_the_week(budgets, since)),
    )


def release_report(
    warehouse: Warehouse, project_id: int, project: str, version: str, environment: str
) -> PerformanceReport:
    """Raises ReleaseNotFound."""
    judged = releases.release(warehouse, project_id, version, environment)
    until = judged.last_day + timedelta(days=1)
    since = max(judged.first_view_at.date(), until - LONGEST_RELEASE)
    days = Days(project_id, since, until, judged.environment, version)
    report = _report(warehouse, project, f"{project}: release {version}", days)
    return replace(
        report,
        steps=whole_days.load_time_over(warehouse, days, step_days=1),
        deploys=_deploys(warehouse, days),
        step_days=1,
        judged=judged,
        changed_pages=_changed(releases.effects_by_page(warehouse, project_id, judged)),
    )


def _report(warehouse: Warehouse, project: str, title: str, days: Days) -> PerformanceReport:
    loads = whole_days.loads_of_days(warehouse, days)
    loads_of_files = breakdown(warehouse, days.filters, "", Choice(urls=0, blocking=MOST_ROWS))
    return PerformanceReport(
        project=project,
        title=title,
        days=(days.since, days.until - timedelta(days=1)),
        environment=days.environment,
        release=days.release,
        as_of=loads.as_of,
        together=loads.together,
        pages=loads.pages[:MOST_ROWS],
        endpoints=endpoints(warehouse, days.filters).rows[:MOST_ROWS],
        steps=(),
        types=loads_of_files.types,
        blocking=loads_of_files.blocking,
        releases=list[ReleaseRow](),
        budgets=(),
        is_past=True,
    )


def _deploys(warehouse: Warehouse, days: Days) -> list[tuple[datetime, str]]:
    since = datetime.combine(days.since, time(), UTC)
    return deploys(warehouse, [days.project_id], since, days.environment)


def _in_the_week(
    budgets: Sequence[tuple[Budget, History]], since: datetime
) -> Iterable[tuple[Budget, History]]:
    """As they stood at its end; those whose history no longer reaches it are left out."""
    for budget, history in budgets:
        kept = [each for each in history.evaluations if since < each.at <= since + WEEK]
        if kept:
            yield budget, replace(history, evaluations=kept)


def _changed(effects: Iterable[Effect]) -> list[Effect]:
    return [effect for effect in effects if effect.verdict in ("worse", "better")][:MOST_ROWS]
