"""A project that keeps fewer days: its old raw rows go, and its figures stay as they were counted."""

from datetime import UTC, datetime, timedelta

import pytest

from api.jobs.retention import expire, expired
from errata.warehouse.client import Warehouse
from errata.warehouse.retention import DataKind, Retention
from errata.warehouse.roles import Role
from pipelines.builder.build import build
from pipelines.builder.data_checks import DataChecks
from pipelines.marts.registry import VARIANT_DAILY, VARIANT_HOURLY
from tests.builders import an_error_event, insert
from tests.mart_builds import FAST, build_marts
from tests.processes import WarehouseProcess

MARTS = ("variant_hourly", "variant_daily")
NOW = datetime.now(UTC)
OLD = (NOW - timedelta(days=70)).replace(hour=9, minute=0, second=0, microsecond=0)
RECENT = OLD + timedelta(days=20)
SHORT, LONG = 7, 8
RETENTIONS = {SHORT: Retention({DataKind.ERRORS: 60})}
AT_ONCE = timedelta(0)


def deliver(warehouse: Warehouse, project_id: int, *moments: datetime, is_late: bool = False) -> None:
    """Events received as they occur, or now."""
    events = [
        an_error_event(
            project_id=project_id,
            occurred_at=moment,
            received_at=datetime.now(UTC) if is_late else moment,
        )
        for moment in moments
    ]
    insert(warehouse, "errata_raw.error_events", events)


def raw(warehouse: Warehouse) -> dict[tuple[int, str], int]:
    rows = warehouse.rows(
        "select project_id, toString(toDate(occurred_at)) as day, count() as count"
        " from errata_raw.error_events group by all"
    )
    return {(row["project_id"], row["day"]): row["count"] for row in rows}


def counted(warehouse: Warehouse) -> dict[tuple[int, str], int]:
    rows = warehouse.rows(
        "select project_id, toString(toDate(hour)) as day, sum(event_count) as count"
        " from errata_mart.variant_hourly group by all"
    )
    return {(row["project_id"], row["day"]): row["count"] for row in rows}


def test_rows_go_and_figures_stay(warehouse: WarehouseProcess) -> None:
    ingest, builder = warehouse.client(Role.INGEST), warehouse.client(Role.BUILD)
    old, recent = f"{OLD:%Y-%m-%d}", f"{RECENT:%Y-%m-%d}"
    for project_id in (SHORT, LONG):
        deliver(ingest, project_id, OLD, OLD + timedelta(hours=1), RECENT)
    build_marts(warehouse, *MARTS)
    before = {(SHORT, old): 2, (LONG, old): 2, (SHORT, recent): 1, (LONG, recent): 1}
    assert raw(ingest) == counted(builder) == before

    # A build that began before it could know still reads the rows.
    assert expire(ingest, RETENTIONS, lambda: True) == 0
    assert raw(ingest) == before
    assert expire(ingest, RETENTIONS, lambda: True, AT_ONCE) == 1
    assert raw(ingest) == {key: count for key, count in before.items() if key != (SHORT, old)}
    assert expire(ingest, RETENTIONS, lambda: True, AT_ONCE) == 0

    # Late rows of the other project have the same hour counted again.
    deliver(ingest, LONG, OLD, is_late=True)
    build_marts(warehouse, *MARTS)
    after = {**before, (LONG, old): 3}
    assert counted(builder) == after
    for mart in (VARIANT_HOURLY, VARIANT_DAILY):
        assert build(builder, mart, FAST, days=[OLD.date()]).set_aside_count == 0
        assert all(one.built_count == one.expected_count for one in DataChecks(builder, mart).sums())
    assert counted(builder) == after
    ingest.close()
    builder.close()


@pytest.mark.slow
def test_rows_that_are_gone_stay_gone_when_more_days_are_kept_again(warehouse: WarehouseProcess) -> None:
    ingest, builder = warehouse.client(Role.INGEST), warehouse.client(Role.BUILD)
    deliver(ingest, SHORT, OLD)
    deliver(ingest, LONG, OLD)
    build_marts(warehouse, *MARTS)
    assert [expire(ingest, RETENTIONS, lambda: True, AT_ONCE) for _ in range(2)] == [0, 1]
    assert expire(ingest, {SHORT: Retention({DataKind.ERRORS: 80})}, lambda: True, AT_ONCE) == 0
    deliver(ingest, LONG, OLD, is_late=True)
    build_marts(warehouse, *MARTS)
    old = f"{OLD:%Y-%m-%d}"
    assert counted(builder) == {(SHORT, old): 1, (LONG, old): 2}
    ingest.close()
    builder.close()


def test_nothing_of_others_and_nothing_too_early() -> None:
    today = datetime(2026, 11, 26, tzinfo=UTC).date()
    found = expired({SHORT: Retention({DataKind.TRACES: 7}), LONG: Retention()}, today)
    # Seven whole days and the present one are kept.
    assert found == {(SHORT, "errata_raw.spans"): today - timedelta(days=8)}
