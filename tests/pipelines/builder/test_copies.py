"""An event counts once per project, whatever hours its copies name, and every check and reader agrees."""

import random
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from uuid import uuid4

import pytest

from errata.period import Period
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issues.filters import IssueFilters
from errata.warehouse.queries.issues.list import issues_of_project
from errata.warehouse.roles import Role
from pipelines.builder.data_checks import DataChecks
from pipelines.marts.registry import REPEATED_EVENTS, VARIANT_DAILY, VARIANT_HOURLY
from tests.builders import Row, a_mapping, a_variant, an_error_event, insert
from tests.mart_builds import build_marts, let_bound_take_hold, make_anew
from tests.processes import WarehouseProcess
from tests.warehouse_builds import VARIANT_COUNTS

NOW = datetime.now(UTC).replace(microsecond=0)
HOUR = NOW.replace(minute=0, second=0) - timedelta(hours=5)
MARTS = ("variant_hourly", "repeated_events", "variant_daily")
HEALTHY = 8
BY_HOUR = """
    select project_id, hour, sum(event_count) as count from errata_mart.variant_hourly
    group by project_id, hour order by project_id, hour
"""
# As counts_in_events reads raw.
BY_ROWS = """
    select hour, count() as count from (
        select toStartOfHour(occurred_at) as hour from errata_raw.error_events
        where project_id = 7 and occurred_at not in
            (select occurred_at from errata_mart.repeated_events where project_id = 7)
        union all
        select hour from errata_mart.repeated_events where project_id = 7 and is_counted
    ) group by hour order by hour
"""

NOW_COUNTED = f"""
    select sum(event_count) as event_count
    from {VARIANT_COUNTS}
    settings enable_materialized_cte = 1
"""


def copies(*moments: datetime, **values: object) -> list[Row]:
    item_id = uuid4()
    return [an_error_event(item_id=item_id, occurred_at=moment, **values) for moment in moments]


def counted(events: Sequence[Row]) -> dict[tuple[int, datetime], int]:
    """Brute force: in an hour the copy received first stands for the event, and counts unless a copy was
    received in the two days before it."""
    by_id = defaultdict[tuple[int, object], list[Row]](list)
    for event in events:
        by_id[event["project_id"], event["item_id"]].append(event)
    counts = defaultdict[tuple[int, datetime], int](int)
    for (project_id, _), same in by_id.items():
        ordered = sorted(same, key=lambda one: (one["received_at"], one["occurred_at"], one["variant_hash"]))
        seen = set[datetime]()
        for place, one in enumerate(ordered):
            hour = one["occurred_at"].replace(minute=0, second=0, microsecond=0)
            before = ordered[place - 1]["received_at"] if place else datetime(1970, 1, 1, tzinfo=UTC)
            if hour not in seen and before < one["received_at"] - timedelta(days=2):
                counts[project_id, hour.replace(tzinfo=None)] += 1
            seen.add(hour)
    return dict(counts)


def in_mart(build: Warehouse) -> dict[tuple[int, datetime], int]:
    return {(row["project_id"], row["hour"]): row["count"] for row in build.rows(BY_HOUR)}


def assert_sound(warehouse: WarehouseProcess) -> None:
    build = warehouse.client(Role.BUILD)
    for mart in (VARIANT_HOURLY, REPEATED_EVENTS, VARIANT_DAILY):
        assert [
            str(one) for one in DataChecks(build, mart).sums() if one.built_count != one.expected_count
        ] == []
    build.close()


def by_rows(build: Warehouse) -> dict[datetime, int]:
    return {row["hour"]: row["count"] for row in build.rows(BY_ROWS)}


@pytest.mark.slow
def test_alike_copies_of_one_batch_stand_for_their_event_in_one_hour(warehouse: WarehouseProcess) -> None:
    ingest, build = warehouse.client(Role.INGEST), warehouse.client(Role.BUILD)
    chance, received = random.Random(7), NOW - timedelta(hours=1)
    hours = [HOUR - timedelta(days=9), HOUR - timedelta(hours=2), HOUR]
    delivered = [
        {**one, "received_at": received + chance.choice((0, 1)) * timedelta(milliseconds=200)}
        for _ in range(200)
        for one in copies(*hours)
        for _ in range(chance.randint(1, 5))
    ]
    delivered = [again for one in delivered for again in [one] * chance.randint(1, 3)]
    chance.shuffle(delivered)
    for start in range(0, len(delivered), 500):
        insert(ingest, "errata_raw.error_events", delivered[start : start + 500])
    build_marts(warehouse, *MARTS)
    assert in_mart(build) == counted(delivered)
    assert sum(in_mart(build).values()) == 200
    assert_sound(warehouse)


APART = {
    "same hour": timedelta(minutes=7),
    "next hour": timedelta(hours=1),
    "another day": timedelta(days=3),
}


@pytest.mark.slow
@pytest.mark.parametrize("apart", APART.values(), ids=APART)
@pytest.mark.parametrize(
    ("together", "earlier_first"),
    [(True, False), (False, False), (False, True)],
    ids=["one batch", "in order", "backwards"],
)
def test_two_copies_with_two_moments_count_once(
    warehouse: WarehouseProcess, apart: timedelta, together: bool, earlier_first: bool
) -> None:
    ingest, build = warehouse.client(Role.INGEST), warehouse.client(Role.BUILD)
    pair = copies(HOUR, HOUR - apart)[:: -1 if earlier_first else 1]
    pair[1]["variant_hash"], pair[1]["environment"] = 2, "staging"
    neighbour = [an_error_event(project_id=HEALTHY, occurred_at=HOUR, item_id=pair[0]["item_id"])]
    beside = [an_error_event(occurred_at=moment["occurred_at"]) for moment in pair]
    received = NOW - timedelta(hours=1)
    for number, one in enumerate([*pair, *neighbour, *beside]):
        one["received_at"] = received + timedelta(seconds=0 if together else number)
    delivered = [*pair, *neighbour, *beside]
    insert(ingest, "errata_raw.error_events", delivered)
    reports = build_marts(warehouse, *MARTS, lag=timedelta(minutes=30))
    assert in_mart(build) == counted(delivered)
    assert sum(in_mart(build).values()) == 1 + 2 + 1
    assert by_rows(build) == {hour: n for (project, hour), n in counted(delivered).items() if project == 7}
    assert_sound(warehouse)
    # What comes later, again: no number moves.
    again = [{**one, "received_at": NOW - timedelta(minutes=1)} for one in delivered]
    insert(ingest, "errata_raw.error_events", again)
    later = build_marts(warehouse, *MARTS)
    assert later["repeated_events"].watermark > reports["repeated_events"].watermark
    assert in_mart(build) == counted([*delivered, *again]) == counted(delivered)
    assert by_rows(build) == {hour: n for (project, hour), n in counted(delivered).items() if project == 7}
    assert_sound(warehouse)


@pytest.mark.slow
@pytest.mark.parametrize("earlier_first", [True, False], ids=["in order", "backwards"])
def test_a_day_with_nothing_but_a_copy_of_an_event_counted_elsewhere_is_no_gap_and_no_second_event(
    warehouse: WarehouseProcess, earlier_first: bool
) -> None:
    ingest, build, read = (warehouse.client(role) for role in (Role.INGEST, Role.BUILD, Role.READ))
    pair = copies(HOUR - timedelta(days=3), HOUR, received_at=NOW - timedelta(hours=1))
    insert(ingest, "errata_raw.error_events", pair[:: 1 if earlier_first else -1])
    built = partial(build_marts, warehouse, *MARTS, lag=timedelta(minutes=30))
    for do in (None, built, partial(let_bound_take_hold, warehouse)):
        if do:
            do()
        for by_hour in (False, True):
            since = NOW.replace(hour=0, minute=0, second=0) - timedelta(days=9)
            told = {"projects": [7], "since": since, "by_hour": by_hour}
            (row,) = read.rows(NOW_COUNTED, told)
            assert row["event_count"] == 1
    assert list(DataChecks(build, VARIANT_HOURLY).missing_windows()) == []
    assert_sound(warehouse)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_any_copies_count_as_a_recount_says_however_builds_cut_them(
    warehouse: WarehouseProcess, seed: int
) -> None:
    ingest, build, admin = (warehouse.client(role) for role in (Role.INGEST, Role.BUILD, Role.ADMIN))
    random_ = random.Random(seed)
    ids = [uuid4() for _ in range(40)]
    delivered: list[Row] = []
    for age in (6, 2.5, 1):
        batch = [
            an_error_event(
                item_id=random_.choice(ids),
                project_id=random_.choice([7, 7, HEALTHY]),
                variant_hash=random_.randrange(3),
                occurred_at=HOUR - timedelta(minutes=random_.choice([0, 0, 7, 65, 600, 3000, 5000])),
                received_at=NOW - timedelta(days=age) + timedelta(milliseconds=random_.choice([0, 0, 5])),
            )
            for _ in range(30)
        ]
        insert(ingest, "errata_raw.error_events", batch)
        delivered += batch
        build_marts(warehouse, *MARTS, lag=timedelta(days=age) - timedelta(minutes=1))
        assert in_mart(build) == counted(delivered)
        assert_sound(warehouse)
    for mart in MARTS:
        make_anew(admin, mart)
    build_marts(warehouse, *MARTS)
    assert in_mart(build) == counted(delivered)
    assert by_rows(build) == {hour: n for (project, hour), n in counted(delivered).items() if project == 7}
    assert_sound(warehouse)


def test_a_copy_of_another_hour_is_known_before_it_is_built(warehouse: WarehouseProcess) -> None:
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    insert(ingest, "errata_raw.variants", [a_variant()])
    insert(ingest, "errata_raw.variant_issues", [a_mapping()])
    first, second = copies(HOUR, HOUR - timedelta(days=1))
    insert(ingest, "errata_raw.error_events", [{**first, "received_at": NOW - timedelta(hours=1)}])
    build_marts(warehouse, *MARTS, "variant_totals", "issue_totals")
    let_bound_take_hold(warehouse)
    insert(ingest, "errata_raw.error_events", [second, *copies(HOUR)])
    for period in ("14d", "15d"):
        (issue,) = issues_of_project(
            read, 7, IssueFilters(Period(period).of_events(datetime.now(UTC)))
        ).issues
        assert issue.event_count == 2
    for by_hour in (True, False):
        found = read.rows(
            NOW_COUNTED,
            {"projects": [7], "since": HOUR.replace(hour=0) - timedelta(days=3), "by_hour": by_hour},
        )
        assert found[0]["event_count"] == 2
