from datetime import UTC, datetime, timedelta
from uuid import UUID

import msgspec

from errata.grouping import fingerprint_of
from errata.grouping.configuration import STANDARD
from errata.grouping.shape import ExceptionShape, FrameShape, VariantShape
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issue.grouping import Title, grouping_of_issue, titles_of
from errata.warehouse.queries.issue.merged_issue import merged_issue
from errata.warehouse.roles import Role
from tests.builders import a_mapping, a_variant, an_error_event, an_issue_action, insert
from tests.processes import WarehouseProcess

NOW = datetime.now(UTC).replace(microsecond=0)
FRAME = FrameShape(module="shop", function="pay", in_app=True)
SHAPE = VariantShape("python", (ExceptionShape(type="KeyError", frames=(FRAME,)),)).to_json()


def test_an_issue_tells_its_variants_what_is_part_of_it_and_what_may_be_the_same(
    warehouse: WarehouseProcess, ingest: Warehouse, read: Warehouse
) -> None:
    insert(
        ingest,
        "errata_raw.variants",
        [
            a_variant(
                variant_hash=number,
                title=f"of {number}",
                culprit=f"at {number}",
                shape=SHAPE,
                exemplar_id=UUID(int=number),
                first_seen_at=NOW - timedelta(days=number),
            )
            for number in range(1, 6)
        ],
    )
    issues = {1: 101, 2: 101, 3: 103, 4: 104, 5: 105}
    insert(
        ingest,
        "errata_raw.variant_issues",
        [a_mapping(variant_hash=variant, issue_id=issue) for variant, issue in issues.items()],
    )
    decision = {
        "explanation": msgspec.json.encode({"decision": "moved"}).decode(),
        "actor": "ada@example.org",
        "recorded_at": NOW + timedelta(seconds=5),
    }
    insert(
        ingest,
        "errata_raw.variant_issues",
        [a_mapping(variant_hash=5, issue_id=101, authority=2, **decision)],
    )
    counts = {1: 1, 2: 3, 3: 2}
    events = [
        an_error_event(variant_hash=variant, occurred_at=NOW - timedelta(minutes=n))
        for variant, count in counts.items()
        for n in range(count)
    ]
    insert(ingest, "errata_raw.error_events", events)
    insert(ingest, "errata_raw.error_events", events)
    merge = an_issue_action(issue_id=103, action="merge", target_issue_id=101)
    insert(ingest, "errata_raw.issue_actions", [merge])
    builder = warehouse.client(Role.BUILD)
    pair = {"project_id": 7, "issue_id": 104, "other_issue_id": 103, "score": 0.9, "reason": '{"frames": 3}'}
    insert(builder, "errata_mart.similar_issues", [pair])
    builder.close()

    merged = merged_issue(read, 7, 101)
    assert merged is not None
    found = grouping_of_issue(read, merged, STANDARD)
    shown = [(each.variant_hash, each.own_issue_id, each.event_count) for each in found.variants]
    assert shown == [(2, 101, 3), (3, 103, 2), (1, 101, 1), (5, 101, 0)]
    assert found.variant_count == 4
    first, placed = found.variants[0], found.variants[3]
    assert (first.title, first.culprit, first.exemplar_id) == ("of 2", "at 2", UUID(int=2))
    assert (first.first_seen, first.last_seen) == (NOW - timedelta(days=2), NOW)
    assert first.fingerprint == fingerprint_of(VariantShape.from_json(SHAPE)).fingerprint
    assert first.explanation and first.placed_because == ""
    assert (placed.placed_because, placed.placed_by, placed.placed_at) == (
        "moved",
        "ada@example.org",
        decision["recorded_at"],
    )
    (part,) = found.parts
    assert (part.issue_id, part.parent_id, part.is_joined) == (103, 101, False)
    assert part.title == Title("of 3", "at 3", 1)
    (duplicate,) = found.duplicates
    assert (duplicate.issue_id, duplicate.score, duplicate.reason) == (104, 0.9, {"frames": 3})
    assert duplicate.title == Title("of 4", "at 4", 1)


def test_an_issue_is_called_by_its_own_variants_first_and_else_by_its_parts(
    ingest: Warehouse, read: Warehouse
) -> None:
    ages = {1: 1, 2: 5, 3: 9}
    insert(
        ingest,
        "errata_raw.variants",
        [
            a_variant(variant_hash=number, title=f"of {number}", first_seen_at=NOW - timedelta(days=days))
            for number, days in ages.items()
        ],
    )
    insert(
        ingest,
        "errata_raw.variant_issues",
        [a_mapping(variant_hash=number, issue_id=103 if number == 3 else 101) for number in ages],
    )
    merge = an_issue_action(issue_id=103, action="merge", target_issue_id=101)
    insert(ingest, "errata_raw.issue_actions", [merge])
    titles = titles_of(read, 7, [101, 103, 999])
    assert {issue: (title.title, title.variant_count) for issue, title in titles.items()} == {
        101: ("of 2", 3),
        103: ("of 3", 1),
    }
    assert titles_of(read, 8, [101]) == {} and titles_of(read, 7, []) == {}
