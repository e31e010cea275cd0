"""What the builder must know of one mart."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

from errata.clock import EPOCH
from errata.warehouse.retention import rebuildable_days


class Partition(StrEnum):
    DAY = "day"
    """`partition by (toDate(<column>), version)`; a week's day is its Monday."""
    WHOLE = "whole"
    """`partition by version`: a snapshot, built in one piece."""


@dataclass(frozen=True)
class Mart:
    """`name` is that of its table in errata_mart, its model file, and its file in warehouse_sql/checks."""

    name: str
    dirty: str
    """The file of queries/builds that lists the windows to build, given since, until and oldest."""
    column: str = ""
    """The column that holds a row's window start."""
    window: timedelta = timedelta(days=1)
    partition: Partition = Partition.DAY
    raw: str = ""
    """The raw table it is built from, whose retention bounds what can be rebuilt."""
    source: str = ""
    """Or the mart it is built from: built before, and not meanwhile."""
    beside: tuple[str, ...] = ()
    """Other marts it reads, which are not built meanwhile either."""
    has_every_window: bool = True
    """False: a window that got rows may rightly have none here, and there are no gaps to look for."""
    late_by_turns: bool = False
    """Days before yesterday that late rows came to take turns: readers do without what waits."""
    sliced_by: str = ""
    """A snapshot's mart to read, slice by slice of its ids."""
    slice_bytes: int = 32 << 20
    """Uncompressed; spread over periods and united they take about ten times as much memory."""
    rows_an_insert: int = 2_000_000
    """Rows of raw, or of the source, that one insert may read: it holds what it puts together in memory."""
    is_sliced_by_cell: bool = False
    """Its model takes a range of hashes of cells: a window of more rows is built in slices of them."""
    has_known_memory: bool = False
    """Its inserts stay below what those who build may use: where that is there twice, two run at once."""

    @property
    def table(self) -> str:
        return f"errata_mart.{self.name}"

    @property
    def window_column(self) -> str:
        """The start of a row's window, as statements put it."""
        return (
            "toDateTime(0, 'UTC')"
            if self.partition is Partition.WHOLE
            else f"toDateTime({self.column}, 'UTC')"
        )

    def oldest_window(self, until: datetime) -> datetime:
        """Of those before it raw may have lost rows: they are left as they are."""
        kept = timedelta(days=rebuildable_days(self.raw)) if self.raw else until - EPOCH
        return (until - kept).replace(hour=0, minute=0, second=0, microsecond=0)

    def partition_day(self, window_start: datetime) -> date:
        """The day, with a version, by which rows of a window are kept together."""
        return EPOCH.date() if self.partition is Partition.WHOLE else window_start.date()

    def partition_id(self, day: date, version: int) -> str:
        """As the engine names it."""
        return f"{version}" if self.partition is Partition.WHOLE else f"{day:%Y%m%d}-{version}"

    @property
    def has_part_of_a_partition(self) -> bool:
        """A window is less than a partition: what is clean of the partition is copied, not computed."""
        return self.partition is Partition.DAY and self.window < timedelta(days=1)


@dataclass(frozen=True)
class Window:
    """A span of `occurred_at` to build, and between which moments of receipt its rows lie."""

    start: datetime
    first_received_at: datetime
    last_received_at: datetime
    row_count: int
    """Rows of raw to read for it, copies included; 0: few."""
    receipt_days: frozenset[date]
    """UTC days on which its rows came in, or may have; of another mart: none."""


@dataclass(frozen=True)
class Waiting:
    """A window left to a later build: so many rows, received from a moment on, are not in the mart yet."""

    start: datetime
    since: datetime
    row_count: int


@dataclass(frozen=True)
class BuildReport:
    """What a build did; no windows: nothing had come in."""

    mart: str
    attempt: str
    watermark: datetime
    windows: Sequence[datetime]
    row_count: int
    byte_count: int
    seconds: float
    waiting: Sequence[Waiting] = ()
    set_aside_count: int = 0
    """Windows of projects that it could not build."""

    @property
    def days(self) -> Sequence[date]:
        return sorted({window.date() for window in self.windows})
