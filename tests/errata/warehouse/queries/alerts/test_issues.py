import json
from datetime import UTC, datetime, timedelta
from uuid import UUID

from errata.warehouse.client import Warehouse
from errata.warehouse.queries.alerts.issues import issue_titles, mutes
from tests.builders import Row, a_mapping, a_variant, an_issue_action, insert

BEGIN = datetime.now(UTC).replace(microsecond=0) - timedelta(days=2)
HOUR = timedelta(hours=1)
ENDLESS = datetime(2299, 12, 31, tzinfo=UTC)


def decided(issue_id: int, number: int, action: str, hours: int, **detail: str) -> Row:
    at = BEGIN + hours * HOUR
    return an_issue_action(
        issue_id=issue_id,
        action_id=UUID(int=number),
        action=action,
        acted_at=at,
        detail=json.dumps(detail) if detail else "",
    )


def test_an_issue_is_mute_until_its_moment_or_the_next_decision(ingest: Warehouse, read: Warehouse) -> None:
    until = BEGIN + 5 * HOUR
    insert(
        ingest,
        "errata_raw.issue_actions",
        [
            decided(101, 1, "ignore", 1, until=until.isoformat()),
            decided(101, 2, "assign", 2, assignee="ada@example.org"),
            decided(101, 3, "ignore", 8),
            decided(101, 4, "unresolve", 9),
            decided(102, 5, "ignore", 3, until=until.isoformat()),
            decided(102, 6, "resolve", 4),
            decided(103, 7, "ignore", 6),
            decided(104, 8, "ignore", 6),
            {**decided(104, 9, "undo", 7), "about_action_id": UUID(int=8)},
            {**decided(105, 10, "ignore", 6), "project_id": 8},
        ],
    )
    assert mutes(read, 7) == {
        101: [(BEGIN + HOUR, until), (BEGIN + 8 * HOUR, BEGIN + 9 * HOUR)],
        102: [(BEGIN + 3 * HOUR, BEGIN + 4 * HOUR)],
        103: [(BEGIN + 6 * HOUR, ENDLESS)],
    }


def test_an_issue_is_called_by_its_oldest_variant_that_was_not_merged_into_it(
    ingest: Warehouse, read: Warehouse
) -> None:
    days = {1: 1, 2: 5, 3: 9}
    insert(
        ingest,
        "errata_raw.variants",
        [
            a_variant(
                variant_hash=each,
                title=f"of {each}",
                culprit=f"at {each}",
                first_seen_at=BEGIN - timedelta(days=age),
            )
            for each, age in days.items()
        ],
    )
    insert(
        ingest,
        "errata_raw.variant_issues",
        [a_mapping(variant_hash=each, issue_id=103 if each == 3 else 101) for each in days],
    )
    assert issue_titles(read, 7, [101, 103, 999]) == {101: ("of 2", "at 2"), 103: ("of 3", "at 3")}
    merge = an_issue_action(issue_id=103, action="merge", target_issue_id=101)
    insert(ingest, "errata_raw.issue_actions", [merge])
    assert issue_titles(read, 7, [101, 103]) == {101: ("of 2", "at 2")}
    assert issue_titles(read, 8, [101]) == {}
