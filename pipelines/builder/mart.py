"""The description of a mart that a build needs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum

from errata.clock import EPOCH
from errata.warehouse.retention import rebuildable_days

DAY = timedelta(days=1)


class Partition(StrEnum):
    DAY = "day"
    """`partition by (toDate(<column>), version)`; a week's day is its Monday."""
    SNAPSHOT = "snapshot"
    """`partition by version`: a snapshot, built in one piece."""


@dataclass(frozen=True)
class Mart:
    """A mart of SQL. `name` is its table in errata_mart, its model file, and its file in
    warehouse_sql/checks."""

    name: str
    dirty: str
    """The file of queries/builds that finds the windows to build, by since, until and oldest."""
    column: str = ""
    """The column with the start of a row's window."""
    window: timedelta = DAY
    partition: Partition = Partition.DAY
    raw: str = ""
    """The raw table that the mart is built from; its retention bounds rebuilds."""
    source: str = ""
    """The mart that this one is built from: built before it, and never at the same time."""
    beside: tuple[str, ...] = ()
    """Other marts that the model reads: never built at the same time."""
    has_every_window: bool = True
    """False: a window with raw rows may have no rows here, so gaps mean nothing."""
    defers_late_days: bool = False
    """Late rows of days before yesterday may be deferred: readers do without them for up to an hour."""
    sliced_by: str = ""
    """The mart that a snapshot reads in slices of its ids."""
    slice_bytes: int = 32 << 20
    """Uncompressed bytes of a slice; spread over periods and united they take about ten times as much
    memory."""
    rows_an_insert: int = 2_000_000
    """Rows of raw, or of the source, in one insert at most: an insert holds them in memory."""
    is_sliced_by_cell: bool = False
    """The model takes a range of hashes of cells; a larger window is built in slices."""
    has_known_memory: bool = False
    """Inserts stay within the building user's memory limit; two run at once where memory allows both."""

    @property
    def table(self) -> str:
        return f"errata_mart.{self.name}"

    @property
    def window_column(self) -> str:
        """The expression for the start of a row's window."""
        return (
            "toDateTime(0, 'UTC')"
            if self.partition is Partition.SNAPSHOT
            else f"toDateTime({self.column}, 'UTC')"
        )

    def oldest_window(self, until: datetime) -> datetime:
        """The oldest window that can be rebuilt: raw may have lost rows of earlier ones."""
        kept = timedelta(days=rebuildable_days(self.raw)) if self.raw else until - EPOCH
        return (until - kept).replace(hour=0, minute=0, second=0, microsecond=0)

    def partition_day(self, window_start: datetime) -> date:
        """The day of the partition that holds a window's rows."""
        return EPOCH.date() if self.partition is Partition.SNAPSHOT else window_start.date()

    def partition_id(self, day: date, version: int) -> str:
        """The partition's id in the engine."""
        return f"{version}" if self.partition is Partition.SNAPSHOT else f"{day:%Y%m%d}-{version}"

    def windows_of(self, day: date) -> list[datetime]:
        """The starts of the windows in a day's partition."""
        midnight = datetime.combine(day, time(), UTC)
        return [midnight + number * self.window for number in range(max(1, DAY // self.window))]


@dataclass(frozen=True)
class Window:
    """A span of `occurred_at` to build, and the first and last receipt of its rows."""

    start: datetime
    first_received_at: datetime
    last_received_at: datetime
    row_count: int
    """Raw rows to read, copies included; 0: few."""
    receipt_days: frozenset[date]
    """UTC days on which its rows were received, or may have been; none if the source is a mart."""


@dataclass(frozen=True)
class Waiting:
    """A window left to a later build: its count of rows missing in the mart, received from `since` on."""

    start: datetime
    since: datetime
    row_count: int


@dataclass(frozen=True)
class Late:
    """A project with rows in waiting windows: their last day, and when the first of them was received."""

    project_id: int
    last_day: date
    since: datetime


@dataclass(frozen=True)
class BuildReport:
    """The outcome of a build; without windows: no new rows."""

    mart: str
    watermark: datetime
    windows: Sequence[datetime]
    row_count: int
    byte_count: int
    seconds: float
    waiting: Sequence[Waiting] = ()
    late: Sequence[Late] = ()
    set_aside_count: int = 0
    """Windows of projects left out because their rows failed."""

    @property
    def days(self) -> Sequence[date]:
        return sorted({window.date() for window in self.windows})


def together(reports: Sequence[BuildReport]) -> BuildReport:
    """The builds of several shards as one: windows of any, through the earliest watermark."""
    return replace(
        reports[0],
        watermark=min(one.watermark for one in reports),
        windows=sorted({window for one in reports for window in one.windows}),
        row_count=sum(one.row_count for one in reports),
        byte_count=sum(one.byte_count for one in reports),
        seconds=sum(one.seconds for one in reports),
        waiting=[each for one in reports for each in one.waiting],
        late=[each for one in reports for each in one.late],
        set_aside_count=sum(one.set_aside_count for one in reports),
    )
