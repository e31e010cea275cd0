from datetime import UTC, datetime, timedelta

import pytest

from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issue.successor import successor_of_issue
from tests.builders import a_mapping, a_variant, an_error_event, an_issue_action, insert

NOW = datetime.now(UTC)


def move(ingest: Warehouse, variant: int, issue_id: int, minutes: int) -> None:
    at = NOW - timedelta(minutes=minutes)
    row = a_mapping(variant_hash=variant, issue_id=issue_id, authority=2, recorded_at=at)
    insert(ingest, "errata_raw.variant_issues", [row])


@pytest.mark.slow
def test_the_address_of_an_emptied_issue_leads_where_most_of_its_events_went(
    ingest: Warehouse, read: Warehouse
) -> None:
    insert(ingest, "errata_raw.variants", [a_variant(variant_hash=number) for number in range(1, 5)])
    insert(
        ingest,
        "errata_raw.variant_issues",
        [
            a_mapping(
                variant_hash=number,
                issue_id=104 if number == 4 else 101,
                recorded_at=NOW - timedelta(hours=1),
            )
            for number in range(1, 5)
        ],
    )
    counts = {1: 2, 2: 2, 3: 3, 4: 50}
    insert(
        ingest,
        "errata_raw.error_events",
        [an_error_event(variant_hash=variant) for variant, count in counts.items() for _ in range(count)],
    )
    move(ingest, 3, 203, 30)
    move(ingest, 1, 202, 29)
    # It still has a variant of its own.
    assert successor_of_issue(read, 7, 101) is None
    move(ingest, 2, 202, 28)
    # Three events went to 203 with one variant, four to 202 with two.
    assert successor_of_issue(read, 7, 101) == 202
    assert successor_of_issue(read, 7, 104) is None
    assert successor_of_issue(read, 7, 999) is None
    assert successor_of_issue(read, 8, 101) is None
    insert(
        ingest,
        "errata_raw.issue_actions",
        [an_issue_action(issue_id=202, action="merge", target_issue_id=104)],
    )
    assert successor_of_issue(read, 7, 101) == 104
