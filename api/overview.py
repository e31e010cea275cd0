"""One project at a glance: how its users are, what changed, whether data arrives, and what to do next."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from api.context import Context
from api.overview_figures import VITALS, Figure, figures
from errata.budgets.history import History
from errata.budgets.state import State
from errata.performance.filters import Filters
from errata.period import Period
from errata.state.budgets import Budget
from errata.state.projects import Project
from errata.warehouse.at_once import all_three, submitted
from errata.warehouse.published import ages_read
from errata.warehouse.queries.delivery import ledger
from errata.warehouse.queries.delivery.ledger import HostRow, Summary
from errata.warehouse.queries.delivery.usage import Refusal, present_refusals
from errata.warehouse.queries.issues.filters import IssueFilters
from errata.warehouse.queries.issues.issue import Issue
from errata.warehouse.queries.issues.list import issues_of_project
from errata.warehouse.queries.performance import page_views
from errata.warehouse.queries.performance.crash_free import crash_free
from errata.warehouse.queries.performance.endpoints import EndpointRow, all_endpoints, all_endpoints_before
from errata.warehouse.queries.performance.page_views import NAVIGATE, PageRow
from errata.warehouse.queries.performance.releases import ReleaseRow, releases
from errata.warehouse.queries.performance.shifts import Shift, one_of_each_finding, shifts
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


@dataclass(frozen=True)
class ProjectOverview:
    figures: Sequence[Figure]
    loads: PageRow | None
    calls: EndpointRow | None
    new: Issues
    regressed: Issues
    release: ReleaseRow | None
    """The newest one of the last two weeks."""
    shifts: Sequence[Shift]
    hosts: Sequence[HostRow]
    refused: Sequence[Refusal]
    """At present."""
    delivered: Summary
    budgets: Sequence[tuple[Budget, History]]
    next_steps: Sequence[Step]
    as_of: datetime | None

    @property
    def breached(self) -> list[Budget]:
        return [budget for budget, history in self.budgets if history.standing is State.BREACHED]


def project_overview(
    context: Context, organization_id: int, project: Project, period: Period, environment: str, now: datetime
) -> ProjectOverview:
    warehouse = context.read
    filters = Filters([project.id], period, now, environment=environment)
    pending_hosts = submitted(lambda: ledger.hosts(warehouse, ledger.Filters([project.id], period, now)))
    pending_refusals = submitted(lambda: present_refusals(warehouse, [project.id], now))
    pending_shifts = submitted(lambda: shifts(warehouse, project.id, environment))
    pending_releases = submitted(lambda: releases(warehouse, project.id, now - RECENT, environment))
    pending_crashes = submitted(lambda: crash_free(warehouse, project.id, filters))
    pending_calls_before = submitted(lambda: all_endpoints_before(warehouse, filters))
    answer, calls, new = all_three(
        lambda: page_views.all_pages(warehouse, filters, VITALS),
        lambda: all_endpoints(warehouse, filters),
        lambda: _issues(context, project, begun_in(period), filters),
    )
    regressed = _issues(context, project, "", filters, Status.REGRESSED)
    budgets = context.state.budgets.of_project(organization_id, project.slug)
    histories = context.histories.all(warehouse, project.id, [budget.limit for budget in budgets])
    hosts = pending_hosts.result()
    recent = [row for row in pending_releases.result() if now - row.first_view_at <= RECENT]
    loads = next((row for row in answer.rows if row.navigation_type == NAVIGATE), None)
    limits = [budget.limit for budget in budgets]
    found = ProjectOverview(
        figures=list(
            figures(
                pending_crashes.result(), loads, calls, pending_calls_before.result(), limits, environment
            )
        ),
        loads=loads,
        calls=calls,
        new=new,
        regressed=regressed,
        release=recent[0] if recent else None,
        shifts=[
            row for row in one_of_each_finding(pending_shifts.result().rows) if now.date() - row.day <= RECENT
        ][:MOST_SHIFTS],
        hosts=hosts,
        refused=pending_refusals.result(),
        delivered=ledger.summary(hosts, now),
        budgets=list(zip(budgets, histories, strict=True)),
        next_steps=(),
        as_of=ages.oldest if (ages := ages_read()) else None,
    )
    has_rules = bool(context.state.alerts.rules.of_project(organization_id, project.slug))
    return replace(found, next_steps=list(_next_steps(found, has_rules)))


def begun_in(period: Period) -> str:
    """The search for unresolved issues that began in the period."""
    if not period.is_interval:
        return f"is:unresolved age:-{period}"
    since, until = (end.isoformat(timespec="seconds").replace("+00:00", "Z") for end in period.ends)
    return f"is:unresolved first_seen:>={since} first_seen:<{until}"


def _issues(
    context: Context, project: Project, text: str, filters: Filters, status: Status | None = None
) -> Issues:
    narrowed = IssueFilters(
        filters.period.of_events(filters.now), filters.environment, text=text, status=status
    )
    page = issues_of_project(context.read, project.id, narrowed, Sort.EVENTS, COUNTED_ISSUES)
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
    if found.loads is None:
        yield Step("no_page_loads")
