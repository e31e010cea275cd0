"""Whatever the order of events, builds, deletions and undos: what counts is what is not deleted."""

import itertools
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from errata.clock import EPOCH
from errata.period import Period
from errata.warehouse.queries.issue.events import events_of_issue
from errata.warehouse.queries.issue.head import issue_head
from errata.warehouse.queries.issue.merged_issue import merged_issue
from errata.warehouse.queries.issues.filters import IssueFilters
from errata.warehouse.queries.issues.list import issues_of_project
from errata.warehouse.roles import Role
from pipelines.builder.data_checks import DataChecks
from pipelines.marts.registry import ISSUE_TOTALS
from tests.builders import Row, a_deletion, a_mapping, a_variant, an_issue_action, insert
from tests.mart_builds import build_marts
from tests.processes import WarehouseProcess
from tests.warehouse_builds import MARTS_OF_ISSUES, VARIANT_COUNTS, some_events

# Issue 101 has two variants; 1 to 5 are those of some_events.
ISSUES = {101: (1, 2), 103: (3,), 104: (4,), 105: (5,)}
BY_TOTALS = IssueFilters(Period("90d").of_events(datetime.now(UTC)))
BY_DAYS = IssueFilters(Period("60d").of_events(datetime.now(UTC)))
BY_ROWS = IssueFilters(Period("90d").of_events(datetime.now(UTC)), text="!browser:Safari")
COUNTED = f"""
    select
        variant_hash,
        sum(counts.event_count) as event_count
    from {VARIANT_COUNTS} as counts
    group by variant_hash
    settings enable_materialized_cte = 1
"""


@dataclass
class Log:
    """What was done, in its order."""

    warehouse: WarehouseProcess
    recorded_at: datetime
    events: list[tuple[int, Row]] = field(default_factory=list)
    deletions: dict[UUID, tuple[int, int]] = field(default_factory=dict)
    step: int = 0

    def deliver(self, rows: Sequence[Row]) -> None:
        insert(self.warehouse.client(Role.INGEST), "errata_raw.error_events", rows)
        self.events += [(self._next(), row) for row in rows]

    def delete(self, issue_id: int) -> None:
        self._pause()
        row = a_deletion(issue_id, *ISSUES[issue_id])
        insert(self.warehouse.client(Role.INGEST), "errata_raw.issue_actions", [row])
        self.deletions[row["action_id"]] = (self._next(), issue_id)
        self._pause()

    def undo(self, action_id: UUID) -> None:
        _, issue_id = self.deletions.pop(action_id)
        row = an_issue_action(issue_id=issue_id, action="undo", about_action_id=action_id)
        insert(self.warehouse.client(Role.INGEST), "errata_raw.issue_actions", [row])

    def build(self) -> None:
        build_marts(self.warehouse, *MARTS_OF_ISSUES)

    def kept(self) -> dict[int, Any]:
        """Of each issue with any left: events, users, first and last seen, by brute force."""
        firsts: dict[UUID, tuple[int, Row]] = {}
        for step, row in self.events:
            firsts.setdefault(row["item_id"], (step, row))
        found = dict[int, Any]()
        for issue_id, variants in ISSUES.items():
            cut = max((step for step, deleted in self.deletions.values() if deleted == issue_id), default=0)
            rows = [row for step, row in firsts.values() if step > cut and row["variant_hash"] in variants]
            if rows:
                moments = [row["occurred_at"] for row in rows] + [self.recorded_at] * (cut == 0)
                users = {row["user_hash"] for row in rows} - {0}
                found[issue_id] = (len(rows), len(users), min(moments), max(moments))
        return found

    def listed(self, filters: IssueFilters) -> dict[int, Any]:
        page = issues_of_project(self.warehouse.client(Role.READ), 7, filters)
        return {
            issue.issue_id: (issue.event_count, issue.user_count, issue.first_seen, issue.last_seen)
            for issue in page.issues
        }

    def counted(self, *, by_hour: bool) -> dict[int, int]:
        """Events of each issue by the view that reads hours or days."""
        chosen = {"projects": [7], "since": EPOCH, "by_hour": by_hour}
        rows = self.warehouse.client(Role.READ).rows(COUNTED, chosen)
        by_variant = {row["variant_hash"]: row["event_count"] for row in rows}
        counts = {
            issue_id: sum(by_variant.get(v, 0) for v in variants) for issue_id, variants in ISSUES.items()
        }
        return {issue_id: count for issue_id, count in counts.items() if count}

    def _next(self) -> int:
        self.step += 1
        return self.step

    def _pause(self) -> None:
        # Events are stamped to the millisecond.
        time.sleep(0.003)


@pytest.fixture
def log(warehouse: WarehouseProcess) -> Log:
    ingest = warehouse.client(Role.INGEST)
    recorded_at = datetime.now(UTC).replace(microsecond=0) - timedelta(days=55)
    pairs = [(variant, issue_id) for issue_id, variants in ISSUES.items() for variant in variants]
    insert(
        ingest,
        "errata_raw.variants",
        [a_variant(variant_hash=variant, first_seen_at=recorded_at) for variant, _ in pairs],
    )
    insert(
        ingest,
        "errata_raw.variant_issues",
        [a_mapping(variant_hash=variant, issue_id=issue_id) for variant, issue_id in pairs],
    )
    return Log(warehouse, recorded_at)


def recent_events(random_: random.Random, count: int) -> list[Row]:
    """Late and ahead of the clock, all within the periods asked for."""
    now = datetime.now(UTC)
    rows = some_events(random_, now, count)
    return [row for row in rows if abs(row["occurred_at"] - now) < timedelta(days=50)]


def steps(log: Log, random_: random.Random) -> Iterator[str]:
    """Each on top of those before."""
    log.deliver(recent_events(random_, 60))
    log.build()
    log.delete(101)
    log.delete(103)
    yield "deleted after a build"
    log.deliver([*recent_events(random_, 20), *[row for _, row in random_.sample(log.events, 20)]])
    yield "new and repeated events of deleted issues"
    log.build()
    yield "built"
    log.deliver([row for _, row in random_.sample(log.events, 30)])
    log.delete(101)
    log.delete(104)
    log.undo(next(iter(log.deletions)))
    yield "deleted again, an older deletion taken back"
    log.deliver(recent_events(random_, 20))
    log.build()
    yield "built again"
    for action_id in list(log.deletions)[1:]:
        log.undo(action_id)
    yield "taken back"
    log.build()
    yield "built once more"


def head(log: Log, issue_id: int) -> Any:
    found = issue_head(log.warehouse.client(Role.READ), 7, issue_id, BY_TOTALS.period)
    assert found is not None
    return (found.event_count, found.user_count, found.first_seen, found.last_seen)


def kept_ids(log: Log, issue_id: int) -> set[UUID]:
    read = log.warehouse.client(Role.READ)
    merged = merged_issue(read, 7, issue_id)
    assert merged is not None
    return {event.event_id for event in events_of_issue(read, merged, limit=1000).events}


@pytest.mark.slow
def test_what_counts_is_what_is_not_deleted(log: Log) -> None:
    # Each step is seen in one way beside the totals.
    ways = itertools.cycle([BY_ROWS, 101, BY_DAYS, 103])
    for step, way in zip(steps(log, random.Random(11)), ways, strict=False):
        expected = log.kept()
        for filters in (BY_TOTALS, *([way] if isinstance(way, IssueFilters) else [])):
            assert log.listed(filters) == expected, (step, filters)
        for by_hour in (True, False):
            assert log.counted(by_hour=by_hour) == {one: row[0] for one, row in expected.items()}, step
        for issue_id in expected.keys() & {way}:
            assert head(log, issue_id) == expected[issue_id], step
            assert len(kept_ids(log, issue_id)) == expected[issue_id][0], step
    (total,) = DataChecks(log.warehouse.client(Role.BUILD), ISSUE_TOTALS).sums()
    assert total.built_count == total.expected_count == sum(row[0] for row in log.kept().values())
