"""What budgets cost: building the hours they are told by, and looking at 30 and 90 days of them.

`python -m bench.budgets --views 2000000` makes page loads of 100 days, most of them of few pages.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from bench.figures import figure
from errata.budgets.evaluation import evaluations
from errata.budgets.histories import LENGTH, Histories
from errata.budgets.limit import Limit
from errata.budgets.state import Evaluation
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance.metric_over_time import last_end
from errata.warehouse.roles import Role
from pipelines.builder.build import build
from pipelines.marts.registry import PAGE_LOADS, PAGE_METRICS_HOURLY
from tests.service import running

PROJECT = 7
DAYS = 100
TRIES = 5
VIEWS = """
    insert into errata_raw.page_views
        (project_id, view_id, occurred_at, received_at, item_id, trace_id, is_load, navigation_type, page,
         environment, device, started_at_ms, load_at_ms,
         dom_ready_at_ms, ttfb_ms, fcp_ms, lcp_ms, cls, inp_ms)
    select
        {project:UInt32},
        number + 1,
        {until:DateTime64(3, 'UTC')} - toIntervalMillisecond(cityHash64(number, 'at') % {span:UInt64}) as at,
        at + toIntervalSecond(5),
        toUUID(concat('00000000-0000-4000-8000-', leftPad(lower(hex(number)), 12, '0'))) as id,
        id,
        true,
        'navigate',
        concat('/page/', toString(toUInt32(pow(60, cityHash64(number, 'page') % 65521 / 65521)))),
        'production',
        ['desktop', 'mobile', 'tablet'][1 + number % 3],
        toUnixTimestamp64Milli(at) as begun,
        begun + 400 * randLogNormal(0, 0.6) as loaded,
        begun + (loaded - begun) * 0.7,
        (loaded - begun) * 0.2,
        (loaded - begun) * 0.4,
        (loaded - begun) * 0.6,
        (number % 97) / 400,
        (number % 89) * 4
    from numbers({first:UInt64}, {count:UInt64})
    settings max_partitions_per_insert_block = 1000
"""
EXACT = """
    select quantileExactInclusive({level:Float64})(round(load_at_ms - started_at_ms, 3)) as value
    from errata_raw.page_views
    where occurred_at >= {since:DateTime64(3, 'UTC')} and occurred_at < {until:DateTime64(3, 'UTC')}
"""
LIMITS = {
    "all pages, 24 hours": Limit("load_ms", "p75", 900),
    "all pages, 7 days": Limit("load_ms", "p95", 2000, window_hours=168),
    "all pages, 28 days": Limit("load_ms", "p75", 900, window_hours=672),
    "one page on phones, 6 hours": Limit("lcp_ms", "p75", 500, "/page/7", "production", "mobile", 6, 10),
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--views", type=int, default=1_000_000)
    views = parser.parse_args().views
    with running("--no-pipelines") as service:
        admin, builder = service.warehouse(Role.ADMIN, 600), service.warehouse(Role.BUILD, 600)
        read = service.warehouse(Role.READ)
        until = datetime.now(UTC)
        fill(admin, views, until)
        began = time.monotonic()
        build(builder, PAGE_LOADS)
        build(builder, PAGE_METRICS_HOURLY)
        took = time.monotonic() - began
        figure("budget_hours_built_per_second", views / took, "page loads/s", views=views, days=DAYS)
        for name, limit in LIMITS.items():
            look(read, admin, name, limit, last_end(until - timedelta(minutes=2), limit.step))
        limits = list(LIMITS.values()) * 3
        kept = Histories()
        kept.all(read, PROJECT, limits)
        figure(
            "budgets_looked_at_again",
            median(lambda: kept.all(read, PROJECT, limits)),
            "ms",
            budgets=len(limits),
        )


def fill(admin: Warehouse, views: int, until: datetime) -> None:
    span = int(timedelta(days=DAYS).total_seconds() * 1000)
    for first in range(0, views, 500_000):
        count = min(500_000, views - first)
        parameters = {"project": PROJECT, "until": until, "span": span, "first": first, "count": count}
        admin.execute(VIEWS, parameters)


def look(read: Warehouse, admin: Warehouse, name: str, limit: Limit, until: datetime) -> None:
    def history() -> list[Evaluation]:
        return evaluations(read, PROJECT, limit, until - LENGTH, until)

    figure("budget_history_30_days", median(history), "ms", budget=name, windows=len(history()))
    ninety = median(lambda: evaluations(read, PROJECT, limit, until - timedelta(days=90), until))
    figure("budget_backtest_90_days", ninety, "ms", budget=name)
    if limit.pattern or limit.level is None:
        return
    errors = [
        abs(each.value / exact(admin, limit, each.at) - 1)
        for each in history()[::97]
        if each.value is not None
    ]
    figure("budget_percentile_error", max(errors), "ratio", budget=name, windows=len(errors))


def exact(admin: Warehouse, limit: Limit, at: datetime) -> float:
    span = {"level": limit.level, "since": at - limit.window, "until": at}
    return float(admin.rows(EXACT, span)[0]["value"])


def median(ask: Callable[[], object]) -> float:
    times = []
    for _ in range(TRIES):
        began = time.monotonic()
        ask()
        times.append((time.monotonic() - began) * 1000)
    return statistics.median(times)


if __name__ == "__main__":
    main()
