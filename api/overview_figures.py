"""The figures of a project's overview: each with its change since the previous period and its budget."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from errata.budgets.limit import Limit
from errata.warehouse.queries.performance.crash_free import Crashes
from errata.warehouse.queries.performance.endpoints import EndpointRow
from errata.warehouse.queries.performance.page_views import PageRow
from errata.warehouse.queries.performance.unended import NAMES, Unended

VITALS = ("load_ms", "lcp_ms", "inp_ms", "cls")
P75 = NAMES.index("p75")
CRASH_FREE = ("crash_free_sessions", "crash_free_users")
# Shares change by points: from 1% to 2% is one point, and twice as much.
SHARES = (*CRASH_FREE, "server_error_ratio")
# A change of fewer calls, sessions or users says more about chance.
FEWEST_TO_COMPARE = 20


@dataclass(frozen=True)
class Figure:
    """`change`: of a share in points (0.01 is one of a hundred), else relative (0.1 is a tenth more);
    `sample_count`: how many sessions, users or calls the value is of; None of page loads."""

    name: str
    value: float
    change: float | None
    limit: float | None = None
    sample_count: int | None = None
    unended: Unended = field(default_factory=Unended)
    """Of the load time, whose p75 is then a lower bound."""

    @property
    def is_share(self) -> bool:
        return self.name in SHARES

    @property
    def is_better(self) -> bool | None:
        """Whether the change is an improvement; None without a change."""
        if not self.change:
            return None
        return (self.change > 0) == (self.name in CRASH_FREE)

    @property
    def is_within(self) -> bool | None:
        """Whether the figure is within its budget; None without one, or if only loads that had not ended
        could tell."""
        if self.limit is None or self.value > self.limit:
            return None if self.limit is None else False
        if not self.unended.count:
            return True
        at_most = self.unended.at_most[P75]
        return True if at_most is not None and at_most <= self.limit else None


def figures_of_crashes(own: Crashes, before: Crashes) -> Iterator[Figure]:
    if own.crash_free_sessions is not None:
        fewest = min(own.session_count, before.session_count)
        change = _points(own.crash_free_sessions, before.crash_free_sessions, fewest)
        yield Figure("crash_free_sessions", own.crash_free_sessions, change, sample_count=own.session_count)
    if own.crash_free_users is not None:
        fewest = min(own.user_count, before.user_count)
        change = _points(own.crash_free_users, before.crash_free_users, fewest)
        yield Figure("crash_free_users", own.crash_free_users, change, sample_count=own.user_count)


def figures_of_loads(loads: PageRow, limits: Sequence[Limit], environment: str) -> Iterator[Figure]:
    for metric in VITALS:
        if (p75 := loads[metric].p75) is not None:
            limit = _strictest(limits, metric, "p75", environment)
            yield Figure(metric, p75, loads.changes.get(metric), limit, unended=loads.unended_of(metric))


def figures_of_calls(
    calls: EndpointRow, before: EndpointRow | None, limits: Sequence[Limit], environment: str
) -> Iterator[Figure]:
    fewest = min(calls.call_count, before.call_count if before else 0)
    known = before if fewest >= FEWEST_TO_COMPARE else None
    if calls.p95_ms is not None:
        change = calls.p95_ms / known.p95_ms - 1 if known and known.p95_ms else None
        limit = _strictest(limits, "server_ms", "p95", environment)
        yield Figure("server_ms", calls.p95_ms, change, limit, calls.call_count)
    yield Figure(
        "server_error_ratio",
        calls.error_ratio,
        calls.error_ratio - known.error_ratio if known else None,
        _strictest(limits, "server_error_ratio", "mean", environment),
        calls.call_count,
    )


def _points(own: float, before: float | None, fewest: int) -> float | None:
    return None if before is None or fewest < FEWEST_TO_COMPARE else own - before


def _strictest(limits: Sequence[Limit], metric: str, statistic: str, environment: str) -> float | None:
    """The lowest limit of this very figure: of all pages or endpoints, on all devices."""
    fitting = (
        limit.threshold
        for limit in limits
        if (limit.metric, limit.statistic) == (metric, statistic)
        and not limit.pattern
        and not limit.device
        and limit.environment == environment
    )
    return min(fitting, default=None)
