"""A day that rows came to late is read on the days on which some of them came, and its rows are the same."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from api.ingest.item import Rows
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.roles import Role
from pipelines.builder import raw_rows as raw_rows_module
from pipelines.builder import reading
from pipelines.builder.attempt import Attempt
from pipelines.builder.build_log import BuildLog
from pipelines.builder.data_checks import DataChecks
from pipelines.builder.mart import Window
from pipelines.builder.receipt_days import receipt_days
from pipelines.marts.registry import MARTS
from tests.builders import an_error_event
from tests.mart_builds import build_marts, in_marts, made_anew
from tests.processes import WarehouseProcess
from tests.warehouse_rows import store

PAGES = ("page_loads", "resource_metrics_daily")
NAMES = (*PAGES, "endpoint_metrics_daily", "endpoint_metrics_hourly")
NOON = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0) - timedelta(days=1)
DAYS = range(9, -1, -1)
LATE = 7
"""Days ago: the day that views came to on the last one."""


def moment(at: datetime) -> str:
    # Of a second cut off, a row would come before the watermark of a build that ended in that second.
    return f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03d}"


def received(table: str, number: int, occurred: datetime, at: datetime, **columns: Any) -> Rows:
    own = {"project_id": 1, "item_id": f"{number:032x}", "occurred_at": moment(occurred)}
    return {f"errata_raw.{table}": [{**own, "received_at": moment(at), **columns}]}


def a_visit(number: int, occurred: datetime, at: datetime, apart: Sequence[timedelta]) -> list[Rows]:
    """A load and a call received at a moment, and a vital and a file as far from it as told."""
    own = {"view_id": number, "page": "/"}
    started = occurred.timestamp() * 1000
    file = {
        "type": "script",
        "url": "/a.js",
        "start_us": int(started * 1000),
        "duration_ms": number % 7,
        "body_bytes": number,
    }
    loaded = {
        "is_load": True,
        "navigation_type": "navigate",
        "started_at_ms": started,
        "load_at_ms": started + number % 11,
    }
    found = [
        received("page_views", 10 * number, occurred, at, **own, **loaded),
        received(
            "requests",
            10 * number + 1,
            occurred,
            at,
            side="server",
            route="/",
            duration_ms=number % 13,
            status_code=200,
        ),
    ]
    for place, away in enumerate(apart):
        found += [
            received("page_views", 10 * number + 2 + place, occurred, at + away, **own, inp_ms=number % 17),
            received("page_resources", 10 * number + 4 + place, occurred, at + away, **own, **file),
        ]
    return found


def arrivals(builder: Warehouse, day: datetime) -> dict[str, list[Window]]:
    starts = [day.replace(hour=0), day]
    return {
        mart.name: BuildLog(Attempt(builder, mart)).arrivals(starts) for mart in MARTS if mart.name in NAMES
    }


@pytest.mark.slow
def test_a_day_is_read_on_the_days_something_of_it_came(
    warehouse: WarehouseProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    hour, day = timedelta(hours=1), timedelta(days=1)
    visits = []
    for ago in DAYS:
        at = NOON - ago * day
        for number in range(1, 9):
            # As much before and after as it may be, and not at all.
            apart = ([], [-2 * day], [2 * day], [-day, day])[number % 4]
            visits += a_visit(100 * ago + number, at, at + hour, [away for away in apart if at + away < NOON])
    late = NOON - LATE * day
    for number in range(1, 5):
        visits += a_visit(
            5000 + number, late, NOON - number * 20 * hour, [-day] if number % 2 else [hour / 2]
        )
    store(warehouse, *visits)

    asked: list[Mapping[str, Any]] = []
    run = Attempt.run

    def noted(
        self: Attempt,
        name: str,
        parameters: Mapping[str, Any] | None = None,
        settings: Mapping[str, Any] | None = None,
        scope: Mapping[str, str] | None = None,
        **names: str,
    ) -> None:
        if name == "fill_mart" and parameters:
            asked.append({"mart": self.mart.name, **parameters})
        run(self, name, parameters, settings, scope, **names)

    monkeypatch.setattr(Attempt, "run", noted)
    monkeypatch.setattr(reading, "WINDOWS_AN_INSERT", 1)
    build_marts(warehouse, *NAMES)
    read = {
        one["mart"]: [(NOON.date() - read_on).days for read_on in one["receipt_days"]]
        for one in asked
        if one["window_start"].date() == late.date()
    }
    # Parts came two days before and after; late views, and what belongs to them, in the last three days.
    with_parts = [*range(LATE + 2, LATE - 3, -1), 3, 2, 1]
    calls = [LATE, 3, 2, 1]
    assert read == {
        **dict.fromkeys(PAGES, with_parts),
        **dict.fromkeys(NAMES[2:], calls),
    }
    built = in_marts(warehouse, NAMES)
    builder = warehouse.client(Role.BUILD)
    for mart in (one for one in MARTS if one.name in NAMES):
        assert all(one.built_count == one.expected_count for one in DataChecks(builder, mart).sums())
    known = arrivals(builder, late)

    def all_days(windows: object) -> dict[str, Sequence[date]]:
        every = [NOON.date() - number * day for number in range(-3, 20)]
        return dict.fromkeys(receipt_days([]), every)

    monkeypatch.setattr(raw_rows_module, "receipt_days", all_days)
    assert made_anew(warehouse, NAMES) == built
    # What was found again is counted once.
    assert arrivals(builder, late) == known
    builder.close()


@pytest.mark.slow
def test_a_mart_made_anew_takes_over_what_was_found_before(
    warehouse: WarehouseProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    hour, day = timedelta(hours=1), timedelta(days=1)
    searched: dict[str, list[datetime]] = {}
    rows = Attempt.rows

    def noted(
        self: Attempt,
        statement: str,
        parameters: Mapping[str, Any] | None = None,
        *more: Any,
        **others: Any,
    ) -> list[Row]:
        if statement == sql.query(self.mart.dirty):
            assert parameters is not None
            searched.setdefault(self.mart.name, []).append(parameters["since"])
        return rows(self, statement, parameters, *more, **others)

    monkeypatch.setattr(Attempt, "rows", noted)
    names = ("page_loads", "resource_metrics_daily", "endpoint_metrics_hourly", "variant_hourly")
    errors = [an_error_event(occurred_at=moment(NOON), received_at=moment(NOON + hour))]
    store(warehouse, {"errata_raw.error_events": errors})
    for number in range(1, 9):
        # Of old days, at once and late.
        at = NOON - number * day
        late = NOON - (number % 3) * hour
        store(warehouse, *a_visit(number, at, at, [-day, day]), *a_visit(100 + number, at, late, []))
    for until in (NOON - 3 * day, NOON - hour, NOON + 2 * hour):
        build_marts(warehouse, *names, lag=datetime.now(UTC) - until)
    built, builder = in_marts(warehouse, names), warehouse.client(Role.BUILD)
    watermarks = {
        mart.name: BuildLog(Attempt(builder, mart)).watermark(mart.name)
        for mart in MARTS
        if mart.name in names
    }
    known = [arrivals(builder, NOON - number * day) for number in range(10)]

    searched.clear()
    assert made_anew(warehouse, names, is_recorded=True) == built
    # From where the last build had got to, and nothing before.
    assert {name: min(starts) for name, starts in searched.items()} == watermarks
    assert [arrivals(builder, NOON - number * day) for number in range(10)] == known

    # What came since is found, of days that are known already and of others.
    now = datetime.now(UTC)
    store(warehouse, *a_visit(300, NOON - 3 * day, now, []), *a_visit(301, NOON - 20 * day, now, []))
    since_then = made_anew(warehouse, names, is_recorded=True)
    assert since_then != built
    searched.clear()
    # What another search may not have found is looked for from the first row on.
    assert made_anew(warehouse, names) == since_then
    assert all(min(starts) <= NOON - day for starts in searched.values())
    assert set(searched) == set(names)
    builder.close()


@pytest.mark.slow
def test_what_was_built_past_before_its_load_came_is_counted_with_it(warehouse: WarehouseProcess) -> None:
    day = timedelta(days=1)
    apart = ([-day, -2 * day], [-2 * day, -day / 2], [-3 * day, -day])
    visits = [a_visit(number, NOON, NOON, apart[number % 3]) for number in range(1, 10)]
    # An interaction that names its trace alone.
    of_trace = {"trace_id": f"{7:032x}", "page": "/cart"}
    started = NOON.timestamp() * 1000
    load = {"view_id": 900, "is_load": True, "navigation_type": "navigate", "load_at_ms": started + 9}
    told = {"started_at_ms": started + 500, "inp_ms": 120.5}
    visits += [
        [received("page_views", 9000, NOON, NOON, started_at_ms=started, **load, **of_trace)],
        [received("page_views", 9001, NOON, NOON - day, **told, **of_trace)],
    ]
    store(warehouse, *[rows for visit in visits for rows in visit])
    names = (*PAGES, "page_metrics_daily")
    build_marts(warehouse, *names, lag=datetime.now(UTC) - (NOON - day / 4))
    assert "inp_ms" not in in_marts(warehouse, ["page_metrics_daily"])["page_metrics_daily"]
    build_marts(warehouse, *names)
    built = in_marts(warehouse, names)
    assert "120.5" in built["page_metrics_daily"]
    assert "/a.js" in built["resource_metrics_daily"]
    assert made_anew(warehouse, names) == built
