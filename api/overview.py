"""One project at a glance: how its users are, what changed, whether data arrives, and what to do next."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from api.context import Context
from api.overview_figures import (
    VITALS,
    Figure,
    figures_of_calls,
    figures_of_crashes,
    figures_of_loads,
)
from errata.budgets.history import History
from errata.budgets.state import State
from errata.performance.filters import Filters
from errata.period import Period
from errata.state.budgets import Budget
from errata.state.projects import Project
from errata.warehouse.at_once import Parts
from errata.warehouse.client import Warehouse
from errata.warehouse.published import ages_read
from errata.warehouse.queries.delivery import ledger
from errata.warehouse.queries.delivery.ledger import HostRow, Summary
from errata.warehouse.queries.delivery.usage import Refusal, present_refusals
from errata.warehouse.queries.issues.filters import IssueFilters
from errata.warehouse.queries.issues.issue import Issue
from errata.warehouse.queries.issues.list import issues_of_project
from errata.warehouse.queries.performance import page_views
from errata.warehouse.queries.performance.crash_free import crash_free
from errata.warehouse.queries.performance.data_received import DataReceived, data_received
from errata.warehouse.queries.performance.endpoints import EndpointRow, all_endpoints, all_endpoints_before
from errata.warehouse.queries.performance.page_views import NAVIGATE, PageRow
from errata.warehouse.queries.performance.releases import ReleaseRow, releases
from errata.warehouse.queries.performance.shifts import Shift, one_of_each_finding, shifts
from errata.warehouse.queries.progress import progress
from errata.warehouse.queries.vocabulary import Sort, Status

MOST_ISSUES = 5
MOST_SHIFTS = 3
# Of a newest release, and of shifts.
RECENT = timedelta(days=14)
# The share of failed calls from which they are the next thing to look at.
FAILING_RATIO = 0.05
# The list returns one more than is shown, so that "more than" can be said.
COUNTED_ISSUES = 100


@dataclass(frozen=True)
class Issues:
    """The issues of a kind with events in the period, those with most events first; `unassigned_count`:
    of the counted; `is_more`: beyond `count`, nobody counted."""

    shown: Sequence[Issue]
    count: int
    unassigned_count: int
    is_more: bool


@dataclass(frozen=True)
class Step:
    """What to do next: a word of a closed list, with a count where there is one."""

    name: str
    count: int = 0


class ProjectOverview:
    """A project at a glance. Each part waits for its own answer alone."""

    def __init__(
        self,
        context: Context,
        organization_id: int,
        project: Project,
        period: Period,
        environment: str,
        now: datetime,
    ) -> None:
        warehouse, projects = context.read.shared(), [project.id]
        filters = Filters(projects, period, now, environment=environment)
        self._now, self._environment = now, environment
        self._budgets = context.state.budgets.of_project(organization_id, project.slug)
        self._has_rules = bool(context.state.alerts.rules.of_project(organization_id, project.slug))
        ask = Parts().ask
        # In the order in which a page shows them.
        self._received = ask(lambda: _received(warehouse, project.id))
        self._crashes = ask(lambda: crash_free(warehouse, project.id, filters))
        self._loads = ask(lambda: page_views.all_pages(warehouse, filters, VITALS))
        self._calls = ask(lambda: all_endpoints(warehouse, filters))
        self._calls_before = ask(lambda: all_endpoints_before(warehouse, filters))
        self._histories = ask(
            lambda: context.histories.all(warehouse, project.id, [one.limit for one in self._budgets])
        )
        self._new = ask(lambda: _issues(warehouse, project, begun_in(period), filters))
        self._regressed = ask(lambda: _issues(warehouse, project, "", filters, Status.REGRESSED))
        self._refused = ask(lambda: present_refusals(context.read, projects, now))
        self._hosts = ask(lambda: ledger.hosts(warehouse, ledger.Filters(projects, period, now)))
        self._releases = ask(lambda: releases(warehouse, project.id, now - RECENT, environment))
        self._shifts = ask(lambda: shifts(warehouse, project.id, environment))

    @property
    def parts(self) -> Sequence[Future[Any]]:
        """What is being asked."""
        return [one for one in vars(self).values() if isinstance(one, Future)]

    @property
    def figures(self) -> Iterator[Figure]:
        """Each as soon as it is known."""
        yield from figures_of_crashes(*self._crashes.result())
        limits = [budget.limit for budget in self._budgets]
        if self.loads is not None:
            yield from figures_of_loads(self.loads, limits, self._environment)
        if self.calls is not None:
            yield from figures_of_calls(self.calls, self._calls_before.result(), limits, self._environment)

    @property
    def loads(self) -> PageRow | None:
        rows = self._loads.result().rows
        return next((row for row in rows if row.navigation_type == NAVIGATE), None)

    @property
    def is_counting(self) -> bool:
        """Whether page loads or calls arrived that no build has counted yet, and no figure tells of them."""
        received = self._received.result()
        if self.loads is None and received.loads.is_waiting:
            return True
        return self.calls is None and received.calls.is_waiting

    @property
    def is_empty(self) -> bool:
        """Whether nothing was ever received."""
        return not self._received.result().is_any

    @property
    def has_sent_loads(self) -> bool:
        return self._received.result().loads.is_any

    @property
    def calls(self) -> EndpointRow | None:
        return self._calls.result()

    @property
    def new(self) -> Issues:
        return self._new.result()

    @property
    def regressed(self) -> Issues:
        return self._regressed.result()

    @property
    def release(self) -> ReleaseRow | None:
        """The newest one of the last two weeks."""
        return next((row for row in self._releases.result() if self._is_recent(row)), None)

    def _is_recent(self, row: ReleaseRow) -> bool:
        return self._now - row.first_view_at <= RECENT

    @property
    def shifts(self) -> Sequence[Shift]:
        found = one_of_each_finding(self._shifts.result().rows)
        return [row for row in found if self._now.date() - row.day <= RECENT][:MOST_SHIFTS]

    @property
    def hosts(self) -> Sequence[HostRow]:
        return self._hosts.result()

    @property
    def refused(self) -> Sequence[Refusal]:
        """At present."""
        return self._refused.result()

    @property
    def delivered(self) -> Summary:
        return ledger.summary(self.hosts, self._now)

    @property
    def budgets(self) -> Sequence[tuple[Budget, History]]:
        return list(zip(self._budgets, self._histories.result(), strict=True))

    @property
    def breached(self) -> list[Budget]:
        return [budget for budget, history in self.budgets if history.standing is State.BREACHED]

    @property
    def next_steps(self) -> Sequence[Step]:
        return list(_next_steps(self, self._has_rules))

    @property
    def as_of(self) -> datetime | None:
        """Of what was read until now."""
        return ages.oldest if (ages := ages_read()) else None


def begun_in(period: Period) -> str:
    """The search for unresolved issues that began in the period."""
    if not period.is_interval:
        return f"is:unresolved age:-{period}"
    since, until = (end.isoformat(timespec="seconds").replace("+00:00", "Z") for end in period.ends)
    return f"is:unresolved first_seen:>={since} first_seen:<{until}"


def _received(warehouse: Warehouse, project_id: int) -> DataReceived:
    return data_received(warehouse, project_id, progress(warehouse.of([project_id]), page_views.DAYS).as_of)


def _issues(
    warehouse: Warehouse, project: Project, text: str, filters: Filters, status: Status | None = None
) -> Issues:
    narrowed = IssueFilters(
        filters.period.of_events(filters.now), filters.environment, text=text, status=status
    )
    page = issues_of_project(warehouse, project.id, narrowed, Sort.EVENTS, COUNTED_ISSUES)
    unassigned_count = sum(not issue.assignee for issue in page.issues)
    shown = page.issues[:MOST_ISSUES]
    return Issues(shown, len(page.issues), unassigned_count, page.next_cursor is not None)


def _next_steps(found: ProjectOverview, has_rules: bool) -> Iterator[Step]:
    """The most urgent first."""
    if found.delivered.missing_bytes:
        yield Step("missing_bytes", found.delivered.missing_bytes)
    if found.refused:
        yield Step("refused_data", sum(one.refused_count for one in found.refused))
    if found.regressed.count:
        yield Step("regressed_issues", found.regressed.count)
    if found.breached:
        yield Step("breached_budgets", len(found.breached))
    if found.release is not None and found.release.overall_verdict == "worse":
        yield Step("worse_release")
    if found.calls is not None and found.calls.error_ratio >= FAILING_RATIO:
        failed_count = found.calls.client_error_count + found.calls.server_error_count
        yield Step("failed_calls", failed_count)
    if found.new.unassigned_count:
        yield Step("unassigned_issues", found.new.unassigned_count)
    if found.delivered.silent_hosts:
        yield Step("silent_hosts", len(found.delivered.silent_hosts))
    if not has_rules:
        yield Step("no_alert_rules")
    if not found.budgets and found.loads is not None:
        yield Step("no_budgets")
    if not found.has_sent_loads:
        yield Step("no_page_loads")
