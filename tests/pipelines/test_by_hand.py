"""Partitions that a person materializes, as Dagster's page has it done: one run for a range."""

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from types import MappingProxyType

import dagster as dg
import pytest

from errata.settings import load
from errata.warehouse.roles import Role
from pipelines.assets.sql import asset_key, mart_asset, raw_assets
from pipelines.builder.mart import Mart, Partition
from pipelines.definitions import defs
from pipelines.first_days import first_days, load_first_days
from pipelines.marts.registry import (
    MARTS,
    PAGE_LOADS,
    PAGE_METRICS_DAILY,
    VARIANT_DAILY,
    VARIANT_HOURLY,
    WEEKLY_TRENDS,
)
from pipelines.partitions import keys_of, partitions_of
from pipelines.resources import WarehouseResource
from pipelines.settings import PipelinesSettings
from tests.builders import an_error_event, insert
from tests.mart_builds import build_marts
from tests.page_loads import loads
from tests.processes import WarehouseProcess

TODAY = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
DAYS = [TODAY - timedelta(days=number) for number in (3, 2, 1, 0)]


def by_hand(
    warehouse: WarehouseProcess,
    mart: Mart,
    instance: dg.DagsterInstance,
    first: datetime,
    last: datetime,
    first_days: Mapping[str, date] = MappingProxyType({}),
    beside: Sequence[Mart] = (),
) -> list[dg.AssetMaterialization]:
    result = dg.materialize(
        [
            *raw_assets(),
            *(mart_asset(one, partitions_of(one, first_days)) for one in MARTS if one in (mart, *beside)),
        ],
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


def test_partitions_begin_with_the_first_rows_and_no_earlier_than_raw_is_kept() -> None:
    day, long_ago = TODAY.date() - timedelta(days=5), TODAY.date() - timedelta(days=900)
    for mart in (VARIANT_HOURLY, WEEKLY_TRENDS):
        begun, old, unknown = (
            partitions_of(mart, known) for known in ({mart.name: day}, {mart.name: long_ago}, {})
        )
        assert begun is not None and old is not None and unknown is not None
        first = day if mart is VARIANT_HOURLY else day - timedelta(days=day.weekday())
        assert begun.get_first_partition_key() == f"{first}"
        assert old.get_first_partition_key() == unknown.get_first_partition_key()


def test_a_mart_begins_with_the_raw_rows_it_comes_from(
    warehouse: WarehouseProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    def loaded(url: str) -> Mapping[str, date]:
        monkeypatch.setenv("ERRATA_WAREHOUSE_BUILD_URL", url)
        return load_first_days(load(PipelinesSettings, os.environ))

    client = warehouse.client(Role.BUILD)
    assert first_days([client]) == loaded(warehouse.url(Role.BUILD)) == {}
    events = [an_error_event(occurred_at=day, received_at=TODAY - timedelta(minutes=1)) for day in DAYS[1:]]
    insert(warehouse.client(Role.INGEST), "errata_raw.error_events", events)
    build_marts(warehouse, VARIANT_HOURLY.name)
    # Marts of tables without rows begin with those that have some.
    assert loaded(warehouse.url(Role.BUILD)) == dict.fromkeys((mart.name for mart in MARTS), DAYS[1].date())
    assert loaded("http://errata_build@127.0.0.1:1") == {}
    monkeypatch.delenv("ERRATA_WAREHOUSE_BUILD_URL")
    assert load_first_days(load(PipelinesSettings, os.environ)) == {}


@pytest.mark.slow
def test_a_first_week_whose_monday_is_before_the_first_day_can_be_built(
    warehouse: WarehouseProcess,
) -> None:
    monday = TODAY - timedelta(days=TODAY.weekday() + 14)
    since = monday + timedelta(days=2)
    rows = [row | {"received_at": TODAY} for row in loads("shop@1.0", since, 20)]
    insert(warehouse.client(Role.INGEST), "errata_raw.page_views", rows)
    build_marts(warehouse, PAGE_METRICS_DAILY.name, WEEKLY_TRENDS.name)
    begun = dict.fromkeys((mart.name for mart in MARTS), since.date())
    with dg.DagsterInstance.ephemeral() as instance:
        beside = (PAGE_LOADS, PAGE_METRICS_DAILY)
        (done,) = by_hand(warehouse, WEEKLY_TRENDS, instance, monday, monday, begun, beside)
    assert (done.partition, done.metadata["windows"].value) == (f"{monday:%F}", 1)


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
