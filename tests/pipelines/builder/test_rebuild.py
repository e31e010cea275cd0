"""Days that a person has built anew: exactly these, from raw, whatever the mart holds of them."""

from datetime import UTC, datetime, timedelta

import pytest

from errata.warehouse.roles import Role
from pipelines.builder.build import NotBuilt, build
from pipelines.builder.mart import Mart
from pipelines.marts.registry import VARIANT_DAILY, VARIANT_HOURLY
from tests.builders import an_error_event, insert
from tests.mart_builds import FAST, build_marts, in_marts
from tests.processes import WarehouseProcess

MARTS = ("variant_hourly", "variant_daily")
TODAY = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
YESTERDAY = TODAY - timedelta(days=1)
WRONG = """
    insert into errata_mart.{mart}
    select * replace (7 as variant_hash) from errata_mart.{mart} where toDate({column}) = {{day:Date}}
"""
VERSIONS = """
    select partition_pair.1 as day, partition_pair.2 as version, watermark
    from (
        select arrayZip(partitions.day, partitions.version) as pairs, watermark
        from errata_ops.builds where mart = {mart:String} order by number desc limit 1
    ) array join pairs as partition_pair
"""


def deliver(warehouse: WarehouseProcess, *moments: datetime) -> None:
    received_at = datetime.now(UTC)
    events = [an_error_event(occurred_at=moment, received_at=received_at) for moment in moments]
    insert(warehouse.client(Role.INGEST), "errata_raw.error_events", events)


def spoil(warehouse: WarehouseProcess, mart: Mart, day: datetime) -> None:
    admin = warehouse.client(Role.ADMIN)
    admin.execute(WRONG.format(mart=mart.name, column=mart.column), {"day": day.date()})
    admin.close()


@pytest.mark.parametrize("mart", [VARIANT_HOURLY, VARIANT_DAILY], ids=lambda mart: mart.name)
def test_a_day_is_built_anew_and_nothing_else_changes(warehouse: WarehouseProcess, mart: Mart) -> None:
    deliver(warehouse, YESTERDAY, YESTERDAY + timedelta(hours=5), TODAY)
    build_marts(warehouse, *MARTS)
    builder = warehouse.client(Role.BUILD)
    before, right = builder.rows(VERSIONS, {"mart": mart.name}), in_marts(warehouse, MARTS)
    spoil(warehouse, mart, YESTERDAY)
    assert in_marts(warehouse, MARTS) != right
    # What no build has counted yet is left to the next one.
    deliver(warehouse, YESTERDAY, TODAY)
    report = build(builder, mart, FAST, days=[YESTERDAY.date()])
    assert (report.days, report.set_aside_count) == ([YESTERDAY.date()], 0)
    after = builder.rows(VERSIONS, {"mart": mart.name})
    changed = {row["day"] for row in after} - {row["day"] for row in after if row in before}
    assert changed == {YESTERDAY.date()}
    assert {row["watermark"] for row in after} == {row["watermark"] for row in before}
    # Rows of the version before are still there, and nobody who asks now is told of them.
    assert builder.rows(published_counts(mart)) == [{"event_count": 3}]
    build_marts(warehouse, *MARTS)
    assert builder.rows(published_counts(mart)) == [{"event_count": 5}]
    builder.close()


def published_counts(mart: Mart) -> str:
    return f"select sum(event_count) as event_count from errata_mart.{mart.name}"


@pytest.mark.slow
def test_days_without_rows_are_left_alone(warehouse: WarehouseProcess) -> None:
    deliver(warehouse, TODAY)
    build_marts(warehouse, *MARTS)
    builder = warehouse.client(Role.BUILD)
    for mart in (VARIANT_HOURLY, VARIANT_DAILY):
        report = build(builder, mart, FAST, days=[YESTERDAY.date()])
        assert (report.windows, report.row_count) == ([], 0)
    builder.close()


def test_a_mart_that_was_never_built_says_so(warehouse: WarehouseProcess) -> None:
    builder = warehouse.client(Role.BUILD)
    with pytest.raises(NotBuilt, match="never been built"):
        build(builder, VARIANT_HOURLY, FAST, days=[TODAY.date()])
    builder.close()
