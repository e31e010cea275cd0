"""Rows of one project that a model, a recount or a limit fails of stop nobody else, and are built later."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.client import QueryFailed, Warehouse
from errata.warehouse.queries.delivery.set_aside import standing
from errata.warehouse.roles import Role
from pipelines.builder import filling, reading
from pipelines.builder.attempt import Attempt
from pipelines.builder.build import Build, build
from pipelines.builder.data_checks import DataChecks
from pipelines.builder.lease import Lease, LeaseLost
from pipelines.builder.set_aside import Failure, Reason, set_aside
from pipelines.marts.registry import (
    MARTS,
    PAGE_LOADS,
    REPEATED_EVENTS,
    VARIANT_DAILY,
    VARIANT_HOURLY,
    VARIANT_TOTALS,
)
from tests.builders import Row, a_mapping, a_variant, an_error_event, insert
from tests.mart_builds import FAST, build_marts
from tests.pipelines.builder.test_set_aside import let_time_pass
from tests.processes import WarehouseProcess
from tests.warehouse_builds import MARTS_OF_ISSUES

ModelPath = Callable[[str], Path]
NOW = datetime.now(UTC)
HOUR = NOW.replace(minute=0, second=0, microsecond=0) - timedelta(hours=3)
POISONED, HEALTHY = 7, 8
NUMBERS = count(1)
TOTALS = """
    select project_id, sum(event_count) as count
    from errata_mart.{mart}
    where {condition}
    group by project_id order by project_id
"""
MANY_ROWS = """
    insert into errata_raw.error_events
        (project_id, variant_hash, occurred_at, item_id, user_hash, environment)
    select {project_id:UInt32}, number % 1000, {hour:DateTime('UTC')}, generateUUIDv4(),
        rand64(), toString(number)
    from numbers(150000)
"""
# Models as they would be with a bug that rows of one kind bring to light.
FORGETFUL = (
    "    order by received_at, occurred_at, variant_hash",
    "        and environment != 'poison'\n    order by received_at, occurred_at, variant_hash",
)
THROWING = ("    count() as event_count,", "    sum(1 - throwIf(environment = 'poison')) as event_count,")
OF_TOTALS = {
    "recount": (
        "    sum(spread.event_count) as event_count,",
        "    sumIf(spread.event_count, environment != 'poison') as event_count,",
    ),
    "statement": (
        "    sum(spread.event_count) as event_count,",
        "    sum(spread.event_count * (1 - throwIf(environment = 'poison'))) as event_count,",
    ),
}
OF_DAYS = (
    "    sum(event_count) as event_count,",
    "    sum(event_count * (1 - throwIf(environment = 'poison'))) as event_count,",
)


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModelPath:
    """The file of each mart's model as builds find it, to be changed."""
    copy = shutil.copytree(sql.DIRECTORY, tmp_path / "warehouse_sql")
    monkeypatch.setattr(sql, "DIRECTORY", copy)
    return lambda mart: sql.model(mart).path


def change(models: ModelPath, mart: str, change: tuple[str, str]) -> None:
    text = models(mart).read_text()
    assert change[0] in text
    models(mart).write_text(text.replace(*change))


def store(warehouse: WarehouseProcess, *events: Row) -> None:
    ingest = warehouse.client(Role.INGEST)
    insert(ingest, "errata_raw.error_events", list(events))
    ingest.close()


def event(project_id: int, **values: object) -> Row:
    return an_error_event(
        **{"project_id": project_id, "occurred_at": HOUR, "variant_hash": project_id, **values}
    )


def issues_of(warehouse: WarehouseProcess) -> None:
    ingest = warehouse.client(Role.INGEST)
    for project_id in (POISONED, HEALTHY):
        known = {"project_id": project_id, "variant_hash": project_id}
        insert(ingest, "errata_raw.variants", [a_variant(**known)])
        insert(ingest, "errata_raw.variant_issues", [a_mapping(**known, issue_id=project_id)])
    ingest.close()


def counts(client: Warehouse, mart: str) -> dict[int, int]:
    condition = "period = 'all' and is_whole" if mart == "issue_totals" else "true"
    rows = client.rows(TOTALS.format(mart=mart, condition=condition))
    return {row["project_id"]: row["count"] for row in rows}


def assert_sound(client: Warehouse, marts: tuple[str, ...] = MARTS_OF_ISSUES) -> None:
    for mart in MARTS:
        if mart.name in marts:
            wrong = [one for one in DataChecks(client, mart).sums() if one.built_count != one.expected_count]
            assert [str(one) for one in wrong] == []
            if mart.name == "variant_hourly":
                assert list(DataChecks(client, mart).missing_windows()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mart", "fault", "reason"),
    [
        ("variant_hourly", FORGETFUL, Reason.RECOUNT),
        ("variant_hourly", THROWING, Reason.STATEMENT),
        ("variant_daily", OF_DAYS, Reason.STATEMENT),
        ("variant_totals", OF_TOTALS["recount"], Reason.RECOUNT),
        ("variant_totals", OF_TOTALS["statement"], Reason.STATEMENT),
    ],
)
def test_a_failing_project_is_set_aside_and_built_when_the_fault_is_gone(
    warehouse: WarehouseProcess, models: ModelPath, mart: str, fault: tuple[str, str], reason: Reason
) -> None:
    client, admin = warehouse.client(Role.BUILD), warehouse.client(Role.ADMIN)
    issues_of(warehouse)
    store(warehouse, event(POISONED), event(HEALTHY))
    build_marts(warehouse, *MARTS_OF_ISSUES)
    assert counts(client, "issue_totals") == {POISONED: 1, HEALTHY: 1}

    good = models(mart).read_text()
    change(models, mart, fault)
    store(warehouse, event(POISONED, environment="poison"), event(HEALTHY), event(HEALTHY, occurred_at=NOW))
    before = build_marts(warehouse, *MARTS_OF_ISSUES)
    # The neighbour's numbers are exact, what was known of the other is still there.
    assert counts(client, "issue_totals") == {POISONED: 1, HEALTHY: 3}
    (aside,) = standing(client)
    assert (aside.mart, aside.project_id, aside.reason) == (mart, POISONED, reason)
    assert "1 counted, 2 expected" in aside.message or reason is Reason.STATEMENT
    assert_sound(client)

    # Set aside it costs nothing, others go on, and new windows of the project are built.
    store(warehouse, event(HEALTHY), event(POISONED, occurred_at=HOUR - timedelta(days=2)))
    after = build_marts(warehouse, *MARTS_OF_ISSUES)
    assert all(after[name].watermark > before[name].watermark for name in MARTS_OF_ISSUES)
    whole = mart == "variant_totals"
    assert counts(client, "issue_totals") == {POISONED: 1 if whole else 2, HEALTHY: 4}
    assert [one.attempt_count for one in standing(client)] == [1]
    assert_sound(client)

    let_time_pass(admin)
    build_marts(warehouse, mart)
    assert [one.attempt_count for one in standing(client)] == [2]

    models(mart).write_text(good)
    let_time_pass(admin)
    build_marts(warehouse, *MARTS_OF_ISSUES)
    assert standing(client) == []
    assert counts(client, "issue_totals") == {POISONED: 3, HEALTHY: 4}
    assert_sound(client)


@pytest.mark.slow
def test_a_recount_that_disagrees_names_the_event(warehouse: WarehouseProcess, models: ModelPath) -> None:
    client = warehouse.client(Role.BUILD)
    wrong, right = (f"00000000-0000-4000-8000-{number:012d}" for number in (5, 4))
    change(
        models,
        "repeated_events",
        ("from occurring\nwhere (", f"from occurring\nwhere item_id != '{wrong}' and ("),
    )
    ids = [(POISONED, wrong), (POISONED, right), (HEALTHY, right)]
    store(warehouse, *(event(project_id, item_id=item_id) for project_id, item_id in ids for _ in range(2)))
    build(client, REPEATED_EVENTS, FAST)
    (aside,) = standing(client)
    assert (aside.project_id, aside.reason) == (POISONED, Reason.RECOUNT)
    assert aside.message == f"1 counted, 2 expected, of event {wrong} at {HOUR:%Y-%m-%d %H:00}"


@pytest.mark.slow
def test_a_project_with_more_rows_than_all_others_is_built_after_them(
    warehouse: WarehouseProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin, client = warehouse.client(Role.ADMIN), warehouse.client(Role.BUILD)
    store(warehouse, event(HEALTHY), event(9), event(HEALTHY, occurred_at=HOUR - timedelta(days=2)))
    admin.execute(MANY_ROWS, {"project_id": POISONED, "hour": HOUR})
    mart = replace(VARIANT_HOURLY, rows_an_insert=20_000)
    with monkeypatch.context() as patch:
        # Out of time as soon as the others are done.
        patch.setattr(filling, "TRY_AGAIN_FOR", timedelta(0))
        report = build(client, mart, FAST)
    assert counts(client, "variant_hourly") == {HEALTHY: 2, 9: 1}
    assert report.watermark > NOW - timedelta(minutes=1)
    aside = next(one for one in standing(client) if one.window == HOUR)
    assert (aside.project_id, aside.reason, aside.is_due) == (POISONED, Reason.ROWS, True)
    assert aside.message == "150000 of 150003 rows: built after the other projects"

    store(warehouse, event(9))
    build(client, mart, FAST)
    assert counts(client, "variant_hourly") == {POISONED: 150_000, HEALTHY: 2, 9: 2}
    assert standing(client) == []


@pytest.mark.slow
def test_rows_that_one_project_has_too_many_of_for_memory(warehouse: WarehouseProcess) -> None:
    admin = warehouse.client(Role.ADMIN)
    store(warehouse, event(HEALTHY), event(9))
    admin.execute(MANY_ROWS, {"project_id": POISONED, "hour": HOUR})
    poor = Warehouse(warehouse.url(Role.BUILD), {"max_memory_usage": 60_000_000})
    report = build(poor, VARIANT_HOURLY, FAST)
    assert counts(poor, "variant_hourly") == {HEALTHY: 1, 9: 1}
    (aside,) = standing(poor)
    assert (aside.project_window, aside.reason) == ((POISONED, HOUR), Reason.MEMORY)
    assert report.watermark > NOW - timedelta(minutes=1)

    let_time_pass(admin)
    build(warehouse.client(Role.BUILD), VARIANT_HOURLY, FAST)
    assert counts(poor, "variant_hourly") == {POISONED: 150_000, HEALTHY: 1, 9: 1}
    assert standing(poor) == []
    build(poor, VARIANT_DAILY, FAST)


def test_a_statement_that_fails_of_no_rows_stops_the_build(
    warehouse: WarehouseProcess, models: ModelPath
) -> None:
    client = warehouse.client(Role.BUILD)
    store(warehouse, event(POISONED), event(HEALTHY))
    change(
        models, "variant_hourly", ("    count() as event_count,", "    count(no_such_column) as event_count,")
    )
    with pytest.raises(QueryFailed, match="no_such_column"):
        build(client, VARIANT_HOURLY, FAST)
    assert standing(client) == []
    assert counts(client, "variant_hourly") == {}


def view(project_id: int, days_ago: int) -> Row:
    """A page load, received now."""
    loaded_at = NOW - timedelta(days=days_ago)
    started = loaded_at.timestamp() * 1000
    return {
        "project_id": project_id,
        "view_id": next(NUMBERS),
        "item_id": UUID(int=next(NUMBERS)),
        "occurred_at": loaded_at,
        "is_load": True,
        "navigation_type": "navigate",
        "page": "/",
        "started_at_ms": started,
        "load_at_ms": started + 100,
    }


def store_views(warehouse: WarehouseProcess, *views: Row) -> None:
    ingest = warehouse.client(Role.INGEST)
    insert(ingest, "errata_raw.page_views", list(views))
    ingest.close()


def hour_of(days_ago: int) -> datetime:
    """The window of a view."""
    return (NOW - timedelta(days=days_ago)).replace(minute=0, second=0, microsecond=0)


def built_days(client: Warehouse) -> dict[tuple[int, int], tuple[int, datetime]]:
    """By project and age in days: page loads, and the moment the day is built through."""
    rows = client.rows(
        "select project_id, toDate(hour) as day, count() as loads, max(built_through) as through "
        "from errata_mart.page_loads group by project_id, day"
    )
    return {
        (row["project_id"], (NOW.date() - row["day"]).days): (row["loads"], utc(row["through"]))
        for row in rows
    }


@pytest.mark.slow
def test_a_day_on_which_late_rows_of_others_wait_is_tried_again_when_it_has_its_turn(
    warehouse: WarehouseProcess,
) -> None:
    admin, client = warehouse.client(Role.ADMIN), warehouse.client(Role.BUILD)
    late = hour_of(4)
    store_views(warehouse, *(view(project, days) for project in (POISONED, HEALTHY) for days in (0, 4, 9)))
    build(client, PAGE_LOADS, FAST)
    before = built_days(client)[HEALTHY, 4]

    set_aside(client, "page_loads", [Failure(POISONED, Reason.RECOUNT, window=late)])
    let_time_pass(admin)
    store_views(warehouse, *(view(HEALTHY, days) for days in (0, 4, 9)))
    report = build(client, PAGE_LOADS, FAST)
    assert [one.start for one in report.waiting] == [late]
    assert built_days(client)[HEALTHY, 4] == before
    assert [one.attempt_count for one in standing(client)] == [1]

    store_views(warehouse, view(HEALTHY, 0))
    assert build(client, PAGE_LOADS, FAST).waiting == []
    found = built_days(client)
    assert (found[HEALTHY, 4][0], found[POISONED, 4][0], standing(client)) == (2, 1, [])


@pytest.mark.slow
def test_late_days_wait_for_no_build_that_was_asked_for(warehouse: WarehouseProcess) -> None:
    admin, client = warehouse.client(Role.ADMIN), warehouse.client(Role.BUILD)
    store_views(warehouse, *(view(HEALTHY, days) for days in (0, 4, 9)))
    build(client, PAGE_LOADS, FAST)
    let_time_pass(admin)
    store_views(warehouse, *(view(HEALTHY, days) for days in (0, 4, 9)))
    assert build(client, PAGE_LOADS, FAST).waiting
    assert build(client, PAGE_LOADS, FAST, is_patient=False).waiting == []
    assert {key: loads for key, (loads, _) in built_days(client).items()} == {
        (HEALTHY, days): 2 for days in (0, 4, 9)
    }


@pytest.fixture
def failing_inserts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows with every insert into a build that fails."""
    found: list[str] = []
    run = Attempt.run

    def watched(attempt: Attempt, name: str, *given: Any, **named: Any) -> None:
        try:
            run(attempt, name, *given, **named)
        except QueryFailed as error:
            found.append(error.reason)
            raise

    monkeypatch.setattr(Attempt, "run", watched)
    return found


@pytest.mark.slow
def test_a_project_that_failed_is_not_searched_for_in_every_insert(
    warehouse: WarehouseProcess,
    models: ModelPath,
    monkeypatch: pytest.MonkeyPatch,
    failing_inserts: list[str],
) -> None:
    monkeypatch.setattr(reading, "WINDOWS_AN_INSERT", 1)
    client, hours = warehouse.client(Role.BUILD), [HOUR - timedelta(hours=ago) for ago in range(4)]
    others = range(POISONED + 1, POISONED + 8)
    change(models, "variant_hourly", THROWING)
    for hour in hours[1:]:
        poison = event(POISONED, occurred_at=hour, environment="poison")
        store(warehouse, poison, *(event(project_id, occurred_at=hour) for project_id in others))
    build(client, VARIANT_HOURLY, FAST)
    # Of eight projects it is found by four inserts that fail; then one of all and one of its own fail.
    assert len(failing_inserts) == 4 + 2 + 2
    assert counts(client, "variant_hourly") == dict.fromkeys(others, 3)
    assert {one.project_window for one in standing(client)} == {(POISONED, hour) for hour in hours[1:]}

    failing_inserts.clear()
    store(warehouse, event(POISONED, occurred_at=HOUR, environment="poison"), event(HEALTHY), event(9))
    build(client, VARIANT_HOURLY, FAST)
    assert len(failing_inserts) == 2
    assert counts(client, "variant_hourly") == {**dict.fromkeys(others, 3), HEALTHY: 4, 9: 4}


def test_a_project_that_failed_before_is_built_where_another_one_fails(
    warehouse: WarehouseProcess, models: ModelPath
) -> None:
    client = warehouse.client(Role.BUILD)
    set_aside(client, "variant_hourly", [Failure(9, Reason.MEMORY, window=HOUR - timedelta(days=1))])
    change(models, "variant_hourly", THROWING)
    store(warehouse, event(POISONED, environment="poison"), event(HEALTHY), event(9))
    build(client, VARIANT_HOURLY, FAST)
    assert counts(client, "variant_hourly") == {HEALTHY: 1, 9: 1}
    assert [one.project_id for one in standing(client) if one.window == HOUR] == [POISONED]


@pytest.mark.slow
def test_totals_that_are_counted_anew_are_counted_in_slices_of_all_their_rows(
    warehouse: WarehouseProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin, client = warehouse.client(Role.ADMIN), warehouse.client(Role.BUILD)
    hours = [HOUR - timedelta(days=ago) for ago in range(20)]
    store(
        warehouse,
        *(event(project, occurred_at=hour) for project in (POISONED, HEALTHY) for hour in hours),
    )
    build_marts(warehouse, "variant_hourly", "variant_daily", "variant_totals")
    before = counts(client, "variant_totals")
    set_aside(client, "variant_totals", [Failure(POISONED, Reason.MEMORY, row_count=1)])
    let_time_pass(admin)
    row_bytes = client.rows(sql.build_statement("row_bytes"), {"mart": "variant_daily"})[0]["row_bytes"]
    mart = replace(VARIANT_TOTALS, slice_bytes=int(5 * row_bytes))
    used: list[int] = []

    def watched(count: int) -> Iterator[dict[str, int]]:
        used.append(count)
        return slices(count)

    slices = reading.slices
    monkeypatch.setattr(reading, "slices", watched)
    build(client, mart, FAST)
    # Twenty days of the project, five in a slice.
    assert used in ([4], [5])
    assert counts(client, "variant_totals") == before
    assert standing(client) == []


@pytest.mark.slow
def test_a_build_finishes_its_first_retry_and_stops_the_next_one_in_time(
    warehouse: WarehouseProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin, client = warehouse.client(Role.ADMIN), warehouse.client(Role.BUILD)
    store_views(warehouse, *(view(project, days) for project in (POISONED, HEALTHY) for days in (3, 4)))
    build(client, PAGE_LOADS, FAST)
    for days in (4, 3):
        set_aside(client, "page_loads", [Failure(POISONED, Reason.TIME, window=hour_of(days))])
    let_time_pass(admin)
    # An hour has rows for two slices; with each, a second passes.
    mart = replace(PAGE_LOADS, rows_an_insert=1)
    filled: list[str] = []
    run = Attempt.run

    def watched(attempt: Attempt, name: str, *given: Any, **named: Any) -> None:
        run(attempt, name, *given, **named)
        filled.extend([name] if name == "fill_mart" else [])

    monkeypatch.setattr(Attempt, "run", watched)
    monkeypatch.setattr(filling, "time", SimpleNamespace(monotonic=lambda: len(filled)))
    slices_of_builds = []
    for seconds in (3, 1):
        monkeypatch.setattr(filling, "TRY_AGAIN_FOR", timedelta(seconds=seconds))
        filled.clear()
        build(client, mart, FAST)
        assert {key: loads for key, (loads, _) in built_days(client).items()} == dict.fromkeys(
            [(project, days) for project in (POISONED, HEALTHY) for days in (3, 4)], 1
        )
        slices_of_builds.append((len(filled), [(one.attempt_count, one.is_due) for one in standing(client)]))
    # The second day was stopped after its first slice, without a failure, and is the next build's first.
    assert slices_of_builds == [(3, [(1, True)]), (2, [])]


def test_what_raw_no_longer_holds_is_no_longer_counted_as_set_aside(warehouse: WarehouseProcess) -> None:
    admin, client = warehouse.client(Role.ADMIN), warehouse.client(Role.BUILD)
    store(warehouse, event(HEALTHY))
    set_aside(
        client, "variant_hourly", [Failure(POISONED, Reason.RECOUNT, window=HOUR - timedelta(days=400))]
    )
    let_time_pass(admin)
    assert build(client, VARIANT_HOURLY, FAST).set_aside_count == 0
    assert standing(client) == []


def test_a_build_that_dies_before_it_is_published_has_recovered_nothing(warehouse: WarehouseProcess) -> None:
    admin, client = warehouse.client(Role.ADMIN), warehouse.client(Role.BUILD)
    store(warehouse, event(POISONED), event(HEALTHY))
    build(client, VARIANT_HOURLY, FAST)
    set_aside(client, "variant_hourly", [Failure(POISONED, Reason.MEMORY, window=HOUR)])
    let_time_pass(admin)
    attempt = Attempt(client, VARIANT_HOURLY)
    with Lease(client, [VARIANT_HOURLY.name], attempt.id, FAST) as lease:
        dying = Build(client, VARIANT_HOURLY, attempt, lease)
        assert attempt.number
        build_of_another_holder = {"mart": VARIANT_HOURLY.name, "number": attempt.number + 1}
        client.execute(
            "insert into errata_ops.builds (mart, number) select {mart:String}, {number:UInt64}",
            build_of_another_holder,
        )
        with pytest.raises(LeaseLost):
            dying.run(timedelta(0))
    assert [one.project_window for one in standing(client)] == [(POISONED, HOUR)]
