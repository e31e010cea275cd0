"""Windows of a mart as Dagster partitions: days, for hourly marts too; weeks by their Mondays."""

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta

import dagster as dg

from errata.warehouse.retention import rebuildable_days
from pipelines.builder.mart import Mart, Partition
from pipelines.marts.registry import MARTS

WEEK = timedelta(days=7)


def partitions_of(mart: Mart) -> dg.TimeWindowPartitionsDefinition | None:
    """The partitions of a mart: from the oldest rebuildable window to the current day or week."""
    if mart.partition is Partition.SNAPSHOT:
        return None
    first = datetime.now(UTC).date() - timedelta(days=rebuildable_days(_raw(mart)) - 1)
    if mart.window == WEEK:
        return dg.WeeklyPartitionsDefinition(start_date=f"{_monday_from(first)}", day_offset=1, end_offset=1)
    return dg.DailyPartitionsDefinition(start_date=f"{first}", end_offset=1)


def keys_of(partitions: dg.TimeWindowPartitionsDefinition | None, days: Iterable[date]) -> list[str]:
    """Partition keys of the days that a build reports; days out of range have none."""
    if partitions is None:
        return []
    first, last = (
        key or "" for key in (partitions.get_first_partition_key(), partitions.get_last_partition_key())
    )
    return [key for key in sorted({f"{day}" for day in days}) if first <= key <= last]


def days_of(context: dg.AssetExecutionContext) -> list[date]:
    """The days of the partitions requested from a run; weeks by their Mondays."""
    return list(_days(context.partition_key_range))


def _days(keys: dg.PartitionKeyRange) -> Iterator[date]:
    first, last = date.fromisoformat(keys.start), date.fromisoformat(keys.end)
    return (first + timedelta(days=number) for number in range((last - first).days + 1))


def _monday_from(day: date) -> date:
    return day + timedelta(days=-day.weekday() % 7)


def _raw(mart: Mart) -> str:
    """The raw table at the beginning of the mart's lineage."""
    while not mart.raw:
        mart = next(one for one in MARTS if one.name == mart.source)
    return mart.raw
