"""Late rows for ten days: however the days are deferred, results equal a recount, and none waits for long."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from api.ingest.item import Rows
from errata.performance.filters import Filters
from errata.period import Period
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance import page_views, resources
from errata.warehouse.queries.performance.endpoints import endpoints
from errata.warehouse.roles import Role
from pipelines.builder.attempt import Attempt
from pipelines.builder.build import Build
from pipelines.builder.build_log import BuildLog
from pipelines.builder.data_checks import DataChecks
from pipelines.builder.deferral import (
    MOST_ROWS_WAITING,
    MOST_WINDOWS_WAITING,
    plan,
    with_arrived,
)
from pipelines.builder.lease import Lease
from pipelines.builder.mart import BuildReport, Waiting, Window
from pipelines.marts.registry import MARTS, PAGE_LOADS
from tests.cases import each
from tests.mart_builds import (
    FAST,
    build_marts,
    in_marts,
    made_anew,
    window_received,
)
from tests.processes import WarehouseProcess
from tests.warehouse_rows import store

NOON = datetime(2026, 9, 15, 12, tzinfo=UTC)
FIVE_MINUTES = timedelta(minutes=5)
DAY_ROWS = 1000
DAILY = ("page_metrics_daily", "endpoint_metrics_daily", "resource_metrics_daily")
HOURLY = ("page_metrics_hourly", "endpoint_metrics_hourly")


def a_window(days_ago: int, received_at: datetime, row_count: int = DAY_ROWS) -> Window:
    start = NOON.replace(hour=0) - timedelta(days=days_ago)
    return window_received(start, received_at, row_count)


def dirty(windows: Sequence[Window], late_count: int = 3) -> list[Waiting]:
    return [Waiting(window.start, window.first_received_at, late_count) for window in windows]


def days_ago(windows: Sequence[Window] | Sequence[Waiting]) -> list[int]:
    return sorted((NOON.date() - window.start.date()).days for window in windows)


def test_the_recent_days_are_built_and_of_the_others_who_waits_longest() -> None:
    since, earlier = NOON - FIVE_MINUTES, NOON - timedelta(minutes=20)
    windows = [
        a_window(8, since),
        a_window(5, earlier),
        a_window(2, since),
        a_window(1, since),
        a_window(0, since),
    ]
    chosen = plan(windows, dirty(windows), since, NOON)
    # Two recent days make room for two others.
    assert days_ago(chosen.windows) == [0, 1, 5, 8]
    assert days_ago(chosen.waiting) == [2]


def test_a_day_larger_than_the_recent_ones_has_its_turn_too() -> None:
    since = NOON - FIVE_MINUTES
    windows = [a_window(9, since), a_window(4, since), a_window(0, since, row_count=10)]
    chosen = plan(windows, dirty(windows), since, NOON)
    assert (days_ago(chosen.windows), days_ago(chosen.waiting)) == ([0, 9], [4])


def test_nothing_waits_where_nothing_recent_came_or_builds_were_away_or_come_for_the_first_time() -> None:
    since = NOON - FIVE_MINUTES
    late = [a_window(number, since) for number in range(9, 1, -1)]
    assert plan(late, dirty(late), since, NOON).waiting == []
    windows = [*late, a_window(0, since)]
    for long_ago in (NOON - timedelta(hours=1), datetime(1970, 1, 1, tzinfo=UTC)):
        assert plan(windows, dirty(windows), long_ago, NOON).waiting == []


def test_what_waits_is_few_rows() -> None:
    since = NOON - FIVE_MINUTES
    windows = [*(a_window(number, since) for number in range(9, 1, -1)), a_window(0, since)]
    chosen = plan(windows, dirty(windows, MOST_ROWS_WAITING // 3), since, NOON)
    assert days_ago(chosen.waiting) == [2, 3, 4]


def test_what_waits_is_few_windows() -> None:
    since = NOON - FIVE_MINUTES
    starts = [NOON - timedelta(days=ago, hours=hour) for ago in range(90, 1, -1) for hour in range(12)]
    windows = [window_received(start, since, 40) for start in (*starts, NOON)]
    chosen = plan(windows, dirty(windows, 1), since, NOON)
    assert MOST_WINDOWS_WAITING - 12 < len(chosen.waiting) <= MOST_WINDOWS_WAITING


def test_hours_of_a_day_wait_together() -> None:
    since = NOON - FIVE_MINUTES
    starts = [NOON - timedelta(days=ago, hours=hour) for ago in (4, 3) for hour in (9, 6, 3)]
    windows = [window_received(start, since, 40) for start in (*starts, NOON)]
    chosen = plan(windows, dirty(windows), since, NOON)
    assert (days_ago(chosen.windows), days_ago(chosen.waiting)) == ([0, 4, 4, 4], [3, 3, 3])


@each("day_count", [1, 10, 30, 200])
@each("is_steady", [True, False], ids=["again and again", "once"])
def test_nothing_waits_longer_than_the_bound_and_work_is_spread(day_count: int, is_steady: bool) -> None:
    left: Sequence[Waiting] = []
    taken = []
    for number in range(40):
        since = NOON + number * FIVE_MINUTES
        until = since + FIVE_MINUTES
        came = range(2, day_count + 2) if is_steady or not number else ()
        arrived = [a_window(ago, since, row_count=3) for ago in (*came, 0)]
        all_dirty = with_arrived(left, arrived, since)
        windows = [window_received(one.start, one.since, DAY_ROWS) for one in all_dirty]
        chosen = plan(windows, all_dirty, since, until)
        taken.append(len(chosen.windows) - 1)
        left = chosen.waiting
        assert {one.start for one in left} == {one.start for one in all_dirty} - {
            window.start for window in chosen.windows
        }
        assert all(until - one.since < timedelta(hours=1) for one in left)
    assert max(taken) <= -(-day_count // 11)
    if not is_steady:
        assert sum(taken) == day_count
        assert left == []


class Site:
    """Views and calls of ten days, each with its own figures."""

    def __init__(self, warehouse: WarehouseProcess, project_id: int = 1) -> None:
        self.warehouse = warehouse
        self.project_id = project_id
        self.now = datetime.now(UTC)
        self.number = 0
        self.loads: list[tuple[str, float, float]] = []
        self.calls: list[float] = []
        self.stored: list[Rows] = []

    def views(self, ago: int, count: int) -> Iterator[Rows]:
        """Each with LCP in a part of its own, a script and a call."""
        for _ in range(count):
            self.number += 1
            number, at = self.number, self.now - timedelta(days=ago, seconds=self.number % 50)
            page, load_ms, lcp_ms = f"/{number % 2}", 100.0 + number * 37 % 991, 50.0 + number * 53 % 877
            self.loads.append((page, load_ms, lcp_ms))
            self.calls.append(10.0 + number * 17 % 457)
            started = round(at.timestamp() * 1000)
            occurred_at = f"{at:%Y-%m-%d %H:%M:%S}.000"
            own = {"project_id": self.project_id, "occurred_at": occurred_at, "view_id": number}
            opened = {"is_load": True, "navigation_type": "navigate", "page": page}
            yield {
                "errata_raw.page_views": [
                    {
                        **own,
                        **opened,
                        "item_id": f"{10 * number:032x}",
                        "started_at_ms": started,
                        "load_at_ms": started + load_ms,
                    },
                    {**own, "item_id": f"{10 * number + 1:032x}", "lcp_ms": lcp_ms, "started_at_ms": started},
                ],
                "errata_raw.page_resources": [
                    {
                        **own,
                        "item_id": f"{10 * number + 2:032x}",
                        "type": "script",
                        "url": "https://a.example/x.js",
                        "host": "a.example",
                        "start_us": started * 1000,
                        "duration_ms": load_ms / 2,
                    }
                ],
                "errata_raw.requests": [
                    {
                        **own,
                        "item_id": f"{10 * number + 3:032x}",
                        "side": "server",
                        "method": "GET",
                        "route": "/x",
                        "path": "/x",
                        "status_code": 200,
                        "duration_ms": self.calls[-1],
                    }
                ],
            }

    def arrive(self, days: Sequence[int], count: int, *, repeated: int = 0) -> None:
        found = [rows for ago in days for rows in self.views(ago, count)]
        again = self.stored[:: len(self.stored) // repeated] if repeated else []
        store(self.warehouse, *found, *again)
        self.stored += found

    def assert_exact(self, client: Warehouse) -> None:
        """Pages and endpoints of all that arrived: where nothing waits."""
        filters = Filters([self.project_id], Period("14d"), self.now)
        found = {row.page: row for row in page_views.pages(client, filters).rows}
        for page in ("/0", "/1"):
            own = [(load_ms, lcp_ms) for of, load_ms, lcp_ms in self.loads if of == page]
            assert found[page].view_count == len(own)
            for place, metric in enumerate(("load_ms", "lcp_ms")):
                expected = np.percentile([view[place] for view in own], [50, 75, 95])
                assert list(found[page][metric]) == pytest.approx(list(expected))
        (row,) = endpoints(client, filters).rows
        assert row.call_count == len(self.calls)
        assert [row.p50_ms, row.p75_ms, row.p95_ms] == pytest.approx(
            list(np.percentile(self.calls, [50, 75, 95]))
        )


def assert_sound(warehouse: WarehouseProcess, marts: Sequence[str]) -> None:
    builder = warehouse.client(Role.BUILD)
    for mart in (one for one in MARTS if one.name in marts):
        checks = DataChecks(builder, mart)
        assert all(one.built_count == one.expected_count for one in checks.sums()), mart.name
        assert checks.missing_windows() == [], mart.name
    builder.close()


def waiting(reports: dict[str, BuildReport]) -> dict[str, int]:
    return {
        mart.name: len(reports[mart.name].waiting)
        for mart in MARTS
        if mart.name in reports and mart.defers_late_days
    }


@pytest.mark.slow
def test_answers_are_exact_and_turns_end_whatever_comes_late_meanwhile(warehouse: WarehouseProcess) -> None:
    site, client = Site(warehouse), warehouse.client(Role.READ)
    late, marts = range(2, 12), ("page_metrics_daily", "endpoint_metrics_daily")
    # Today is as large as two other days, and as the late rows of the day that the marts do not know.
    site.arrive(late, 12)
    site.arrive([0], 34)
    build_marts(warehouse, *marts)
    site.assert_exact(client)
    # Days that the marts know, and one that they do not.
    site.arrive([*late, 12], 2, repeated=9)
    site.arrive([0], 2)
    left = []
    for step in range(9):
        reports = build_marts(warehouse, *marts)
        if step in (0, 2):
            assert_sound(warehouse, marts)
        left.append(waiting(reports))
        assert all(report.windows[-1].date() == site.now.date() for report in reports.values())
        if step == 2:
            # For days that wait, and for some that were built after a deferral.
            site.arrive([2, 5, 11], 1, repeated=5)
        if not any(left[-1].values()):
            break
        site.arrive([0], 1)
    site.assert_exact(client)
    assert left[0] == {"page_loads": 8, "endpoint_metrics_daily": 8}
    assert left[-1] == {"page_loads": 0, "endpoint_metrics_daily": 0}
    assert in_marts(warehouse, marts) == made_anew(warehouse, marts)
    client.close()


@pytest.mark.slow
def test_hours_and_weeks_take_turns_too(warehouse: WarehouseProcess) -> None:
    site, marts = Site(warehouse), ("page_metrics_daily", *HOURLY, "weekly_trends")
    site.arrive([0, 2, 3, 9], 3)
    build_marts(warehouse, *marts)
    for ago in (2, 3, 9):
        site.arrive([ago], 1)
    site.arrive([0], 1)
    left = [waiting(build_marts(warehouse, *marts))]
    while any(left[-1].values()):
        assert_sound(warehouse, marts)
        site.arrive([0], 1)
        left.append(waiting(build_marts(warehouse, *marts)))
    assert [one["page_loads"] for one in left] == [2, 1, 0]
    assert in_marts(warehouse, marts) == made_anew(warehouse, marts)


def test_vitals_that_came_late_count_when_their_day_has_had_its_turn(warehouse: WarehouseProcess) -> None:
    site, client = Site(warehouse), warehouse.client(Role.READ)
    site.arrive([0, *range(2, 5)], 6)
    build_marts(warehouse, "page_metrics_daily")
    at = site.now - timedelta(days=2)
    for number in range(1, site.number + 1):
        part = {"project_id": 1, "view_id": number, "occurred_at": f"{at:%Y-%m-%d %H:%M:%S}.000"}
        store(
            warehouse,
            {"errata_raw.page_views": [{**part, "item_id": f"{10 * number + 9:032x}", "inp_ms": 9}]},
        )

    def with_inp() -> int:
        rows = client.rows(
            "select sum(sample_count) as n from errata_mart.page_metrics_daily where metric = 'inp_ms'",
            {"project_id": 1},
        )
        return int(rows[0]["n"])

    counts = []
    for _ in range(3):
        build_marts(warehouse, "page_metrics_daily")
        counts.append(with_inp())
        site.arrive([0], 1)
    assert counts == [12, 18, 24]
    client.close()


@pytest.mark.slow
def test_a_build_that_died_before_it_was_published_leaves_answers_and_turns_as_they_were(
    warehouse: WarehouseProcess,
) -> None:
    site, client, builder = Site(warehouse), warehouse.client(Role.READ), warehouse.client(Role.BUILD)
    marts = ("page_metrics_daily", "endpoint_metrics_daily")
    site.arrive([0, *range(2, 8)], 5)
    build_marts(warehouse, *marts)
    site.arrive(range(2, 8), 1)
    site.arrive([0], 1)
    assert waiting(build_marts(warehouse, *marts))["page_loads"] == 5
    told = page_views.pages(client, Filters([1], Period("14d"), site.now)).rows
    site.arrive([0, 6, 7], 1)
    attempt = Attempt(builder, PAGE_LOADS)
    with Lease(builder, [PAGE_LOADS.name], attempt.id, FAST) as lease:
        dying = Build(builder, PAGE_LOADS, attempt, lease)
        since, until = dying.build_log.watermark(PAGE_LOADS.name), dying.build_log.complete_through()
        chosen = dying.plan(since, until)
        dying.fill(chosen.windows, until)
    assert page_views.pages(client, Filters([1], Period("14d"), site.now)).rows == told
    before = BuildLog(attempt).waiting(PAGE_LOADS.name)
    reports = build_marts(warehouse, *marts)
    # What waited first is still known, and what came after it.
    waits = {one.start: one.since for one in before}
    assert all(one.since == waits[one.start] for one in reports["page_loads"].waiting if one.start in waits)
    while any(waiting(reports).values()):
        site.arrive([0], 1)
        reports = build_marts(warehouse, *marts)
    site.assert_exact(client)
    assert_sound(warehouse, marts)
    assert in_marts(warehouse, marts) == made_anew(warehouse, marts)
    for one in (client, builder):
        one.close()


@pytest.mark.slow
def test_resources_of_late_days_are_told_once_all_have_had_their_turn(warehouse: WarehouseProcess) -> None:
    site, client = Site(warehouse), warehouse.client(Role.READ)

    def told() -> int:
        (row,) = resources.by_type(client, Filters([1], Period("14d"), site.now)).rows
        return row.resource_count

    site.arrive([0, *range(2, 6)], 4)
    build_marts(warehouse, "resource_metrics_daily")
    site.arrive(range(2, 6), 2)
    counts = []
    for _ in range(4):
        site.arrive([0], 1)
        build_marts(warehouse, "resource_metrics_daily")
        counts.append(told())
    assert counts == [23, 26, 29, 32]
    client.close()
