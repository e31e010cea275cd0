"""Totals and issues, built out of days, against a recount in Python."""

import itertools
import random
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from errata.period import Period
from errata.warehouse.roles import Role
from pipelines.builder.build import build
from pipelines.builder.data_checks import DataChecks
from pipelines.builder.due import build_due
from pipelines.builder.reading import slices
from pipelines.marts.registry import ISSUE_TOTALS, ISSUES, VARIANT_RELEASES, VARIANT_TOTALS
from tests.builders import Row, a_mapping, a_variant, an_error_event, an_issue_action, insert
from tests.processes import WarehouseProcess
from tests.warehouse_builds import BRISK, recounted, some_events

MARTS = ["variant_hourly", "variant_daily", "variant_totals", "issue_totals", "issues"]
# Hashes and ids lie anywhere between 0 and 2^64.
FAR = (1 << 64) // 6
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
    """Repeated events of five variants: 1 and 2 are issue 1, the others one each."""
    ingest = warehouse.client(Role.INGEST)
    rows = [
        {**row, "variant_hash": row["variant_hash"] * FAR}
        for row in some_events(random.Random(3), datetime.now(UTC), 150)
    ]
    insert(ingest, "errata_raw.error_events", rows)
    insert(ingest, "errata_raw.error_events", rows[:50])
    first_seen_at = datetime.now(UTC) - timedelta(days=50)
    numbers = range(1, 6)
    insert(
        ingest,
        "errata_raw.variants",
        [a_variant(variant_hash=n * FAR, first_seen_at=first_seen_at) for n in numbers],
    )
    insert(
        ingest,
        "errata_raw.variant_issues",
        [a_mapping(variant_hash=n * FAR, issue_id=FAR if n == 2 else n * FAR) for n in numbers],
    )
    return rows


@pytest.mark.slow
def test_totals_are_those_of_their_periods(warehouse: WarehouseProcess, delivered: list[Row]) -> None:
    builder = warehouse.client(Role.BUILD)
    list(build_due(builder, MARTS, BRISK))
    for period in ("24h", "7d", "14d", "30d", "90d"):
        since = Period(period).of_events(datetime.now(UTC)).since
        assert builder.rows(TOTALS, {"period": period, "since": since}) == recounted(delivered, since)
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    assert builder.rows(TOTALS, {"period": "all", "since": epoch}) == recounted(delivered, epoch)


@pytest.mark.slow
def test_totals_are_built_again_only_for_new_days_and_rows(
    warehouse: WarehouseProcess, delivered: list[Row]
) -> None:
    builder = warehouse.client(Role.BUILD)
    assert [len(report.windows) > 0 for report in build_due(builder, MARTS, BRISK)] == [True] * 5
    assert [len(report.windows) for report in build_due(builder, MARTS, BRISK)] == [0] * 5
    insert(warehouse.client(Role.INGEST), "errata_raw.error_events", delivered[:1])
    assert all(report.windows for report in build_due(builder, MARTS, BRISK))


@pytest.mark.slow
def test_large_totals_wait_for_little_and_not_for_much(warehouse: WarehouseProcess) -> None:
    ingest, builder = warehouse.client(Role.INGEST), warehouse.client(Role.BUILD)

    def deliver(variants: Iterable[int]) -> None:
        moment = datetime.now(UTC) - timedelta(minutes=1)
        rows = [an_error_event(variant_hash=n, occurred_at=moment) for n in variants]
        insert(ingest, "errata_raw.error_events", rows)

    def built() -> list[str]:
        reports = build_due(builder, MARTS[:3], BRISK)
        return [report.mart for report in reports if report.windows]

    # Each in six periods: totals of so many rows wait for a minute.
    deliver(range(20_000))
    assert built() == MARTS[:3]
    deliver([1])
    assert built() == MARTS[:2]
    # Whoever asks for them gets them.
    assert build(builder, VARIANT_TOTALS, BRISK, is_patient=False).windows
    deliver([1])
    assert built() == MARTS[:2]
    deliver(range(10_001))
    assert built() == MARTS[:3]


@pytest.mark.slow
def test_issues_are_put_together_slice_by_slice_as_people_decided(
    warehouse: WarehouseProcess, delivered: list[Row]
) -> None:
    ingest, builder = warehouse.client(Role.INGEST), warehouse.client(Role.BUILD)
    actions = [
        an_issue_action(issue_id=3 * FAR, action="merge", target_issue_id=FAR),
        an_issue_action(issue_id=4 * FAR, action="ignore"),
    ]
    insert(ingest, "errata_raw.issue_actions", actions)
    list(build_due(builder, MARTS[:2], BRISK))
    for mart in (VARIANT_TOTALS, VARIANT_RELEASES, ISSUE_TOTALS, ISSUES):
        build(builder, replace(mart, slice_bytes=2000), BRISK)
    rows = builder.rows(
        "select issue_id, state, variant_count, event_count from errata_mart.issues order by issue_id"
    )

    def count(*variants: int) -> int:
        return sum(row["variant_hash"] // FAR in variants for row in delivered)

    assert [tuple(row.values()) for row in rows] == [
        (FAR, "", 3, count(1, 2, 3)),
        (4 * FAR, "ignore", 1, count(4)),
        (5 * FAR, "", 1, count(5)),
    ]
    for mart in (VARIANT_TOTALS, VARIANT_RELEASES, ISSUE_TOTALS, ISSUES):
        (total,) = DataChecks(builder, mart).sums()
        assert total.built_count == total.expected_count == len(delivered)
        assert DataChecks(builder, mart).missing_windows() == []


def test_slices_hold_every_id_once() -> None:
    bounds = [tuple(span.values()) for span in slices(7)]
    assert (bounds[0][0], bounds[-1][1]) == (0, (1 << 64) - 1)
    assert all(after[0] == before[1] + 1 for before, after in itertools.pairwise(bounds))
