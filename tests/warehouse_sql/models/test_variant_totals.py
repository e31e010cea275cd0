"""Totals and issues, built out of days, against a recount in Python."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from errata.warehouse.builds.due import build_due
from errata.warehouse.builds.marts import ISSUES, VARIANT_TOTALS
from errata.warehouse.builds.proof import Proof
from errata.warehouse.queries.period import Period
from errata.warehouse.roles import Role
from tests.builders import Row, a_mapping, a_variant, an_issue_action, insert
from tests.processes import WarehouseProcess
from tests.warehouse_builds import BRISK, recounted, some_events

MARTS = ["variant_hourly", "variant_daily", "variant_totals", "issues"]
TOTALS = """
    select
        variant_hash, environment, event_count, uniqMerge(users_state) as user_count,
        min(first_occurred_at) as first, max(last_occurred_at) as last
    from errata_mart.variant_totals
    where period = {period:String} and since = {since:DateTime('UTC')}
    group by variant_hash, environment, event_count
    order by variant_hash, environment
"""


@pytest.fixture
def delivered(warehouse: WarehouseProcess) -> list[Row]:
    """Repeated events of five variants: 1 and 2 are issue 101, the others one each."""
    ingest = warehouse.client(Role.INGEST)
    rows = some_events(random.Random(3), datetime.now(UTC), 150)
    insert(ingest, "errata_raw.error_events", rows)
    insert(ingest, "errata_raw.error_events", rows[:50])
    first_seen_at = datetime.now(UTC) - timedelta(days=50)
    numbers = range(1, 6)
    insert(
        ingest,
        "errata_raw.variants",
        [a_variant(variant_hash=n, first_seen_at=first_seen_at) for n in numbers],
    )
    insert(
        ingest,
        "errata_raw.variant_issues",
        [a_mapping(variant_hash=n, issue_id=101 if n == 2 else 100 + n) for n in numbers],
    )
    return rows


def test_totals_are_those_of_their_periods(warehouse: WarehouseProcess, delivered: list[Row]) -> None:
    builder = warehouse.client(Role.BUILD)
    list(build_due(builder, MARTS, BRISK))
    for period in ("24h", "7d", "14d", "30d", "90d"):
        since = Period.parse(period).since
        assert builder.rows(TOTALS, {"period": period, "since": since}) == recounted(delivered, since)
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    assert builder.rows(TOTALS, {"period": "all", "since": epoch}) == recounted(delivered, epoch)


def test_totals_are_built_again_only_for_new_days_and_rows(
    warehouse: WarehouseProcess, delivered: list[Row]
) -> None:
    builder = warehouse.client(Role.BUILD)
    assert [len(report.windows) > 0 for report in build_due(builder, MARTS, BRISK)] == [True] * 4
    assert [len(report.windows) for report in build_due(builder, MARTS, BRISK)] == [0] * 4
    insert(warehouse.client(Role.INGEST), "errata_raw.error_events", delivered[:1])
    assert all(report.windows for report in build_due(builder, MARTS, BRISK))


def test_issues_are_put_together_as_people_decided(warehouse: WarehouseProcess, delivered: list[Row]) -> None:
    ingest, builder = warehouse.client(Role.INGEST), warehouse.client(Role.BUILD)
    actions = [
        an_issue_action(issue_id=103, action="merge", target_issue_id=101),
        an_issue_action(issue_id=104, action="ignore"),
    ]
    insert(ingest, "errata_raw.issue_actions", actions)
    list(build_due(builder, MARTS, BRISK))
    rows = builder.rows(
        "select issue_id, state, variant_count, event_count from errata_mart.issues order by issue_id"
    )

    def count(*variants: int) -> int:
        return sum(row["variant_hash"] in variants for row in delivered)

    assert [tuple(row.values()) for row in rows] == [
        (101, "", 3, count(1, 2, 3)),
        (104, "ignore", 1, count(4)),
        (105, "", 1, count(5)),
    ]
    for mart in (VARIANT_TOTALS, ISSUES):
        (total,) = Proof(builder, mart).sums()
        assert total.built_count == total.expected_count == len(delivered)
        assert Proof(builder, mart).missing_windows() == []
