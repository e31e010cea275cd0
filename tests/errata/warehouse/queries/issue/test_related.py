from datetime import UTC, datetime, timedelta

import pytest

from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issue.merged_issue import merged_issue
from errata.warehouse.queries.issue.related import (
    IssueSummary,
    OwnVariant,
    SharedUsers,
    issues_begun_in_release,
    issues_by_variant,
    shapes_of_issue,
    variants_of_same_minutes,
    variants_of_same_users,
    variants_of_similar_stacks,
)
from tests.builders import Row, a_mapping, a_variant, an_error_event, insert
from tests.mart_builds import build_marts
from tests.processes import WarehouseProcess
from tests.warehouse_builds import MARTS_OF_ISSUES

NOW = datetime.now(UTC).replace(second=0, microsecond=0)
SINCE = NOW - timedelta(days=7)
OWN = [1, 2]


def an_event(variant: int, minutes: int = 0, user: int = 0, **values: object) -> Row:
    at = NOW - timedelta(minutes=minutes)
    told = {"variant_hash": variant, "user_hash": user, "occurred_at": at, "received_at": at}
    return an_error_event(**{**told, **values})


def deliver(ingest: Warehouse, *events: Row) -> None:
    """Twice, as a client does that retries."""
    insert(ingest, "errata_raw.error_events", events)
    insert(ingest, "errata_raw.error_events", events)


def have_variants(ingest: Warehouse, **values: dict[int, object]) -> None:
    """Variants 1 and 2 are issue 101, each other one is an issue of its own."""
    insert(
        ingest,
        "errata_raw.variants",
        [
            a_variant(
                variant_hash=number, **{name: of[number] for name, of in values.items() if number in of}
            )
            for number in range(1, 6)
        ],
    )
    insert(
        ingest,
        "errata_raw.variant_issues",
        [
            a_mapping(variant_hash=number, issue_id=101 if number in OWN else 100 + number)
            for number in range(1, 6)
        ],
    )


def test_other_variants_are_found_by_the_users_they_share(ingest: Warehouse, read: Warehouse) -> None:
    deliver(
        ingest,
        *(an_event(1, user=user) for user in (0, 1, 2)),
        an_event(2, user=3),
        *(an_event(3, user=user) for user in (0, 1, 2, 9)),
        an_event(4, user=3),
        an_event(5, user=8),
        an_event(5, 10 * 24 * 60, user=1),
        an_event(4, user=1, project_id=8),
    )
    found = variants_of_same_users(read, 7, OWN, SINCE)
    assert {each.variant_hash: each for each in found} == {
        3: SharedUsers(3, frozenset({1, 2}), 3, 3),
        4: SharedUsers(4, frozenset({3}), 1, 3),
    }


def test_other_variants_are_found_by_three_minutes_in_common(ingest: Warehouse, read: Warehouse) -> None:
    deliver(
        ingest,
        *(an_event(1 + minutes // 10 % 2, minutes) for minutes in (0, 10, 20, 30)),
        *(an_event(3, minutes) for minutes in (0, 5, 10, 20, 45)),
        *(an_event(4, minutes) for minutes in (0, 0, 10)),
        an_event(5, 0),
    )
    minute = int(NOW.timestamp()) // 60
    (found,) = variants_of_same_minutes(read, 7, OWN, SINCE)
    assert found.variant_hash == 3
    # Only since the first of the issue's own minutes.
    assert sorted(found.minutes) == [minute - 20, minute - 10, minute - 5, minute]
    assert sorted(found.own) == [minute - 30, minute - 20, minute - 10, minute]
    assert found.compared_count == 2


def test_stacks_of_the_same_place_or_type_may_be_alike(ingest: Warehouse, read: Warehouse) -> None:
    have_variants(
        ingest,
        type={1: "KeyError", 2: "OSError", 3: "KeyError", 4: "Timeout", 5: "Timeout"},
        culprit={1: "cart", 2: "disk", 3: "mail", 4: "disk", 5: "mail"},
        shape={3: '{"n":3}', 4: '{"n":4}'},
        first_seen_at={1: NOW, 2: NOW - timedelta(days=1)},
    )
    found = variants_of_similar_stacks(read, 7, OWN)
    assert sorted(found, key=lambda each: each.variant_hash) == [
        OwnVariant(3, '{"n":3}'),
        OwnVariant(4, '{"n":4}'),
    ]
    merged = merged_issue(read, 7, 101)
    assert merged is not None
    assert [each.variant_hash for each in shapes_of_issue(read, merged)] == [1, 2]
    summaries = issues_by_variant(read, 7, [2, 3, 999])
    assert summaries[2] == IssueSummary(101, "ValueError: bad value", "disk", "OSError", "error")
    assert summaries.keys() == {2, 3} and summaries[3].issue_id == 103


@pytest.mark.slow
def test_issues_that_began_in_a_release_are_told_by_how_often_they_occurred(
    warehouse: WarehouseProcess, ingest: Warehouse, read: Warehouse
) -> None:
    have_variants(ingest)
    deliver(
        ingest,
        an_event(1, 5, release="shop@2"),
        an_event(3, 5, release="shop@2"),
        *(an_event(4, minutes, release="shop@2") for minutes in (1, 2, 3)),
        an_event(5, 9, release="shop@1"),
        *(an_event(5, minutes, release="shop@2") for minutes in range(8)),
    )
    build_marts(warehouse, *MARTS_OF_ISSUES)
    found = issues_begun_in_release(read, 7, "shop@2", 101)
    assert [(each.issue.issue_id, each.event_count, each.begun_count) for each in found] == [
        (104, 3, 2),
        (103, 1, 2),
    ]
    assert found[0].first_seen == NOW - timedelta(minutes=3)
    assert issues_begun_in_release(read, 7, "shop@3", 101) == []
