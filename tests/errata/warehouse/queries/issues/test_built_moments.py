"""Events received in the very millisecond up to which a mart is built count once."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from errata.period import Period
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.counting import WHOLE, Counting, Source, Span, counts_of_issues, totals_held
from errata.warehouse.queries.issues.filters import IssueFilters
from errata.warehouse.queries.issues.list import issues_of_project
from tests.builders import a_mapping, a_variant, an_error_event, insert
from tests.mart_builds import build_marts, let_bound_take_hold
from tests.processes import WarehouseProcess

LAG = timedelta(minutes=30)
MARTS = ("variant_hourly", "repeated_events", "variant_daily", "variant_totals", "issue_totals")
MILLISECOND = timedelta(milliseconds=1)
# Longer than the builds take.
MILLISECONDS = 20_000


@pytest.fixture
def received(ingest: Warehouse) -> datetime:
    """Half an hour ago, with a variant whose events are received around it."""
    half_an_hour_ago = datetime.now(UTC).replace(microsecond=7000) - LAG
    first_seen_at = half_an_hour_ago - timedelta(minutes=1)
    insert(ingest, "errata_raw.variants", [a_variant(first_seen_at=first_seen_at)])
    insert(ingest, "errata_raw.variant_issues", [a_mapping()])
    return half_an_hour_ago


@pytest.mark.slow
def test_an_event_and_a_copy_received_when_their_source_ends_count_once(
    warehouse: WarehouseProcess, ingest: Warehouse, read: Warehouse, received: datetime
) -> None:
    around = [received + number * MILLISECOND for number in (-1, 0, 1)]
    # At moments of their own: at those of copies, another table is read.
    events = [an_error_event(occurred_at=at - timedelta(minutes=1), received_at=at) for at in around]
    for at in around:
        first = an_error_event(item_id=uuid4(), occurred_at=around[0], received_at=at)
        events += [first, {**first, "occurred_at": at - timedelta(hours=2), "received_at": at + MILLISECOND}]
    insert(ingest, "errata_raw.error_events", events)
    build_marts(warehouse, "variant_hourly", "repeated_events")
    span = Span.of(Period("24h").of_events(datetime.now(UTC)))
    counting = Counting(read, 7, totals_held(read, 7, [span]), issue_ids=(101,)).of(span, Source.EVENTS)
    for through in (*around, around[-1] + MILLISECOND):
        counted = counts_of_issues(replace(counting, source_through=through))
        assert counted[101, span.name, WHOLE].event_count == 6


@pytest.mark.slow
def test_an_event_received_at_a_watermark_counts_once_whatever_it_is_counted_from(
    warehouse: WarehouseProcess, ingest: Warehouse, read: Warehouse, received: datetime
) -> None:
    moments = [received + number * MILLISECOND for number in range(-1000, MILLISECONDS - 1000)]
    events = [an_error_event(occurred_at=moments[0], received_at=at, message="x") for at in moments]
    insert(ingest, "errata_raw.error_events", events)
    reports = build_marts(warehouse, *MARTS, lag=LAG)
    assert all(moments[0] < reports[mart].watermark < moments[-1] for mart in MARTS[:3])
    let_bound_take_hold(warehouse)
    for later, issue_id in ((timedelta(), 101), (timedelta(seconds=1), 102)):
        # Totals of variants go ahead of those of issues, which are built from them.
        build_marts(warehouse, *MARTS[:4], lag=LAG - later)
        insert(ingest, "errata_raw.variant_issues", [a_mapping(issue_id=issue_id, authority=2)])
        for period in ("14d", "24h", "1h", "15d", "36h"):
            for text in ("", "message:x", "release:shop@1.0"):
                chosen = IssueFilters(Period(period).of_events(datetime.now(UTC)), text=text)
                (issue,) = issues_of_project(read, 7, chosen).issues
                assert (issue.issue_id, issue.event_count) == (issue_id, MILLISECONDS), (period, text)
