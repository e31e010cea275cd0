"""Windows of a mart as Dagster partitions: days, for hourly marts too; weeks by their Mondays."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from types import MappingProxyType

import dagster as dg

from errata.warehouse.retention import rebuildable_days
from pipelines.builder.mart import Mart, Partition
from pipelines.first_days import beginning_of

WEEK = timedelta(days=7)


def partitions_of(
    mart: Mart, first_days: Mapping[str, date] = MappingProxyType({})
) -> dg.TimeWindowPartitionsDefinition | None:
    """The partitions of a mart: from its first day with rows, or the oldest rebuildable one, to the current
    day or week. `first_days`: by mart; without the mart, all that raw retention allows."""
    if mart.partition is Partition.SNAPSHOT:
        return None
    raw = beginning_of(mart).raw
    oldest = datetime.now(UTC).date() - timedelta(days=rebuildable_days(raw) - 1)
    first = first_days.get(mart.name, oldest)
    if mart.window == WEEK:
        start = max(_monday_from(oldest), first - timedelta(days=first.weekday()))
        return dg.WeeklyPartitionsDefinition(start_date=f"{start}", day_offset=1, end_offset=1)
    return dg.DailyPartitionsDefinition(start_date=f"{max(oldest, first)}", end_offset=1)


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
