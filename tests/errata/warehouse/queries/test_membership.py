from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from errata.warehouse.client import Warehouse
from errata.warehouse.queries.membership import (
    Member,
    decided_merges,
    differences,
    is_decided_since,
    issues_of_variants,
    members_of,
    placed_by,
    told_apart,
)
from tests.builders import Row, a_mapping, a_variant, an_issue_action, insert

BEGIN = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1)
MINUTE = timedelta(minutes=1)
ISSUES = {1: 101, 2: 101, 3: 103, 4: 104}


@pytest.fixture
def variants(ingest: Warehouse) -> None:
    insert(ingest, "errata_raw.variants", [a_variant(variant_hash=each) for each in ISSUES])
    insert(
        ingest,
        "errata_raw.variant_issues",
        [a_mapping(variant_hash=each, issue_id=issue, recorded_at=BEGIN) for each, issue in ISSUES.items()],
    )


def decided(action: str, issue_id: int, target: int, minutes: int, **values: object) -> Row:
    return an_issue_action(
        action=action,
        issue_id=issue_id,
        target_issue_id=target,
        action_id=UUID(int=minutes),
        acted_at=BEGIN + minutes * MINUTE,
        **values,
    )


def decide(ingest: Warehouse, *rows: Row) -> None:
    insert(ingest, "errata_raw.issue_actions", rows)


@pytest.mark.usefixtures("variants")
def test_what_is_merged_step_by_step_is_one_issue_until_it_is_taken_back(
    ingest: Warehouse, read: Warehouse
) -> None:
    decide(ingest, decided("merge", 104, 103, 1), decided("merge", 103, 101, 2))
    # Whoever merges also writes down where each chain ends by then.
    decide(ingest, decided("follow", 104, 101, 3))
    decisions = decided_merges(read, 7)
    assert [decisions.root(issue) for issue in (101, 103, 104)] == [101, 101, 101]
    assert decisions.by_people >= {103, 104} and not decisions.joined
    assert issues_of_variants(read, 7, [1, 3, 4, 999]) == {1: 101, 3: 101, 4: 101}
    assert members_of(read, 7, [101]) == [
        Member(1, 101, 101, False),
        Member(2, 101, 101, False),
        Member(3, 101, 103, False),
        Member(4, 101, 104, False),
    ]
    before = decided_merges(read, 7, [UUID(int=2)])
    assert [before.root(issue) for issue in (101, 103, 104)] == [101, 103, 103]
    decide(ingest, decided("undo", 103, 0, 4, about_action_id=UUID(int=2)))
    after = decided_merges(read, 7)
    assert [after.root(issue) for issue in (101, 103, 104)] == [101, 103, 103]
    assert decided_merges(read, 8).root(103) == 103


@pytest.mark.usefixtures("variants")
def test_issues_told_apart_stay_so_wherever_they_are_merged(ingest: Warehouse, read: Warehouse) -> None:
    decide(
        ingest,
        decided("distinct", 103, 101, 1),
        decided("distinct", 103, 101, 2),
        decided("merge", 103, 104, 3),
    )
    assert differences(read, 7) == [(103, 101)]
    assert told_apart(differences(read, 7), decided_merges(read, 7)) == {frozenset({104, 101})}
    decide(ingest, decided("merge", 104, 101, 4))
    assert told_apart(differences(read, 7), decided_merges(read, 7)) == set()
    assert differences(read, 8) == []


@pytest.mark.usefixtures("variants")
def test_variants_that_a_merge_placed_are_its_own_until_somebody_places_them_again(
    ingest: Warehouse, read: Warehouse
) -> None:
    batch = UUID(int=77)

    def place(variant: int, minutes: int, explanation: str) -> None:
        at = BEGIN + minutes * MINUTE
        row = a_mapping(
            variant_hash=variant, issue_id=104, authority=2, explanation=explanation, recorded_at=at
        )
        insert(ingest, "errata_raw.variant_issues", [row])

    place(1, 1, f'{{"batch": "{batch.hex}"}}')
    place(3, 1, f'{{"batch": "{batch.hex}"}}')
    assert placed_by(read, 7, batch) == [1, 3]
    assert [(each.variant_hash, each.is_placed) for each in members_of(read, 7, [104])] == [
        (1, True),
        (3, True),
        (4, False),
    ]
    place(3, 2, '{"batch": "another"}')
    assert placed_by(read, 7, batch) == [1]
    assert placed_by(read, 8, batch) == []


@pytest.mark.usefixtures("variants")
def test_a_request_can_be_undone_until_people_decide_about_its_issues_again(
    ingest: Warehouse, read: Warehouse
) -> None:
    batch = UUID(int=77)
    decide(ingest, decided("merge", 103, 101, 5, batch_id=batch), decided("distinct", 103, 101, 1))
    assert not is_decided_since(read, 7, batch, [101, 103])
    decide(ingest, decided("resolve", 101, 0, 6), decided("merge", 104, 101, 7))
    assert is_decided_since(read, 7, batch, [101, 103])
    assert not is_decided_since(read, 7, batch, [103])
    decide(ingest, decided("undo", 104, 0, 8, about_action_id=UUID(int=7)))
    assert not is_decided_since(read, 7, batch, [101, 103])
