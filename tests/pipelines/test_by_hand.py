"""Partitions that a person materializes, as Dagster's page has it done: one run for a range."""

from datetime import UTC, date, datetime, timedelta

import dagster as dg
import pytest

from errata.warehouse.roles import Role
from pipelines.assets.sql import asset_key, mart_asset, raw_assets
from pipelines.builder.mart import Mart, Partition
from pipelines.definitions import defs
from pipelines.marts.registry import MARTS, VARIANT_DAILY, VARIANT_HOURLY, WEEKLY_TRENDS
from pipelines.partitions import keys_of, partitions_of
from pipelines.resources import WarehouseResource
from tests.builders import an_error_event, insert
from tests.mart_builds import build_marts
from tests.processes import WarehouseProcess

TODAY = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
DAYS = [TODAY - timedelta(days=number) for number in (3, 2, 1, 0)]


def by_hand(
    warehouse: WarehouseProcess, mart: Mart, instance: dg.DagsterInstance, first: datetime, last: datetime
) -> list[dg.AssetMaterialization]:
    result = dg.materialize(
        [*raw_assets(), mart_asset(mart)],
        selection=[asset_key(mart.table)],
        instance=instance,
        resources={"warehouse": WarehouseResource(url=warehouse.url(Role.BUILD))},
        tags={
            "dagster/asset_partition_range_start": f"{first:%Y-%m-%d}",
            "dagster/asset_partition_range_end": f"{last:%Y-%m-%d}",
        },
        raise_on_error=False,
    )
    assert result.success
    return list(result.asset_materializations_for_node(f"errata_mart__{mart.name}"))


@pytest.mark.parametrize("mart", [VARIANT_HOURLY, VARIANT_DAILY], ids=lambda mart: mart.name)
@pytest.mark.slow
def test_a_range_is_built_anew_by_one_run_that_says_what_it_did(
    warehouse: WarehouseProcess, mart: Mart
) -> None:
    received_at = datetime.now(UTC)
    events = [an_error_event(occurred_at=day, received_at=received_at) for day in DAYS]
    insert(warehouse.client(Role.INGEST), "errata_raw.error_events", events)
    build_marts(warehouse, VARIANT_HOURLY.name, VARIANT_DAILY.name)
    with dg.DagsterInstance.ephemeral() as instance:
        done = by_hand(warehouse, mart, instance, DAYS[1], DAYS[2])
        assert [one.partition for one in done] == [f"{day:%Y-%m-%d}" for day in DAYS[1:3]]
        assert {one.metadata["windows"].value for one in done} == {2}
        assert {one.metadata["rows"].value for one in done} == {2}
        assert {one.metadata["unchanged_partitions"].value for one in done} == {0}
        assert instance.get_materialized_partitions(asset_key(mart.table)) == {
            f"{day:%Y-%m-%d}" for day in DAYS[1:3]
        }
        # Days without rows are named too, and counted.
        early, *_ = by_hand(warehouse, mart, instance, DAYS[0] - timedelta(days=2), DAYS[0])
        assert (early.metadata["windows"].value, early.metadata["unchanged_partitions"].value) == (1, 2)


def test_every_mart_but_snapshots_has_partitions_up_to_the_running_day() -> None:
    # Not the day on which the tests began.
    today = datetime.now(UTC)
    days = {f"{today:%Y-%m-%d}", f"{today - timedelta(days=today.weekday()):%Y-%m-%d}"}
    for mart in MARTS:
        partitions = partitions_of(mart)
        assert (partitions is None) == (mart.partition is Partition.SNAPSHOT), mart.name
        assert partitions is None or partitions.get_last_partition_key() in days
    weeks = partitions_of(WEEKLY_TRENDS)
    assert weeks is not None
    assert {date.fromisoformat(key).weekday() for key in weeks.get_partition_keys()} == {0}


def test_days_that_raw_no_longer_holds_are_no_partitions() -> None:
    partitions = partitions_of(VARIANT_HOURLY)
    assert keys_of(partitions, [TODAY.date() - timedelta(days=500), TODAY.date()]) == [f"{TODAY:%Y-%m-%d}"]
    assert keys_of(None, [TODAY.date()]) == []


def test_every_asset_has_owners_a_group_kinds_and_is_fresh_or_says_so() -> None:
    repository = defs.get_repository_def()
    for key in repository.asset_graph.materializable_asset_keys:
        node = repository.asset_graph.get(key)
        assert node.owners == ["team:errata"], key
        assert node.group_name in {"errors", "performance", "comparisons", "budgets"}, key
        assert node.kinds and node.description and node.freshness_policy, key
