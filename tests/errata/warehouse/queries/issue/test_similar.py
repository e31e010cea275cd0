from datetime import UTC, datetime, timedelta

import pytest

from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issue.similar import Pair, pairs_found, pairs_to_merge, possible_duplicates
from errata.warehouse.roles import Role
from tests.builders import Row, a_mapping, a_variant, an_issue_action, insert
from tests.processes import WarehouseProcess

FOUND_AT = datetime.now(UTC) - timedelta(hours=1)


def a_pair(issue_id: int, other: int, score: float, is_near_certain: bool = False, **values: object) -> Row:
    return {
        "project_id": 7,
        "issue_id": issue_id,
        "other_issue_id": other,
        "found_at": FOUND_AT,
        "score": score,
        "is_near_certain": is_near_certain,
        "reason": f'{{"score": {score}}}',
        **values,
    }


@pytest.fixture
def compared(warehouse: WarehouseProcess, ingest: Warehouse) -> None:
    """Issues 1 to 6; 3 is like 1 and 2, 4 like 3, 6 like 5."""
    numbers = range(1, 7)
    insert(ingest, "errata_raw.variants", [a_variant(variant_hash=number) for number in numbers])
    insert(
        ingest,
        "errata_raw.variant_issues",
        [a_mapping(variant_hash=number, issue_id=number) for number in numbers],
    )
    builder = warehouse.client(Role.BUILD)
    insert(
        builder,
        "errata_mart.similar_issues",
        [
            a_pair(2, 1, 0.99, True, found_at=FOUND_AT - timedelta(hours=1)),
            # Compared again, with other variants.
            a_pair(2, 1, 0.7),
            a_pair(3, 1, 0.8),
            a_pair(3, 2, 0.9),
            a_pair(4, 3, 0.95, True),
            a_pair(6, 5, 0.97, True),
            a_pair(6, 5, 0.99, True, project_id=8),
        ],
    )
    builder.close()


def decide(ingest: Warehouse, action: str, issue_id: int, other: int) -> None:
    insert(
        ingest,
        "errata_raw.issue_actions",
        [an_issue_action(issue_id=issue_id, action=action, target_issue_id=other)],
    )


@pytest.mark.usefixtures("compared")
def test_the_latest_finding_of_each_pair_counts_the_most_alike_first(read: Warehouse) -> None:
    assert [(pair.issue_id, pair.other_issue_id, pair.score) for pair in pairs_found(read, 7)] == [
        (6, 5, 0.97),
        (4, 3, 0.95),
        (3, 2, 0.9),
        (3, 1, 0.8),
        (2, 1, 0.7),
    ]
    assert pairs_found(read, 7, [1]) == [
        Pair(3, 1, 0.8, False, {"score": 0.8}),
        Pair(2, 1, 0.7, False, {"score": 0.7}),
    ]
    near_certain = pairs_found(read, 7, near_certain=True)
    assert [(pair.issue_id, pair.other_issue_id) for pair in near_certain] == [(6, 5), (4, 3)]


@pytest.mark.usefixtures("compared")
def test_what_is_joined_or_told_apart_by_people_is_joined_no_more(ingest: Warehouse, read: Warehouse) -> None:
    def pairs() -> list[tuple[int, int]]:
        return [(pair.issue_id, pair.other_issue_id) for pair in pairs_to_merge(read, 7)]

    assert pairs() == [(6, 5), (4, 3)]
    decide(ingest, "merge", 4, 3)
    assert pairs() == [(6, 5)]
    decide(ingest, "distinct", 6, 5)
    assert pairs() == []


@pytest.mark.usefixtures("compared")
def test_a_possible_duplicate_is_shown_as_the_issue_that_it_is_part_of(
    ingest: Warehouse, read: Warehouse
) -> None:
    def duplicates(issue_id: int) -> list[tuple[int, float]]:
        return [(found.issue_id, found.score) for found in possible_duplicates(read, 7, issue_id)]

    assert duplicates(3) == [(4, 0.95), (2, 0.9), (1, 0.8)]
    decide(ingest, "merge", 2, 1)
    # 1 with 2 in it, by the more alike of both; of the whole, 3 alone is another issue.
    assert duplicates(3) == [(4, 0.95), (1, 0.9)]
    assert duplicates(1) == [(3, 0.9)]
    decide(ingest, "distinct", 3, 1)
    assert duplicates(3) == [(4, 0.95)] and duplicates(1) == []
