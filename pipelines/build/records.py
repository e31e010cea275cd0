"""What the builder of a mart remembers in errata_ops: how far it is, which of its rows count, when rows of a
window came in."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import TypeVar
from uuid import UUID, uuid4

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.client import Parameters, Row, Warehouse
from pipelines.build.attempt import NUMBER, Attempt
from pipelines.build.lease import LeaseLost
from pipelines.build.mart import BuildReport, Waiting, Window

Chunked = TypeVar("Chunked")

# Windows of one statement are one parameter: by default ClickHouse takes 128 KiB, ours 1 MiB.
MOST_NAMED = 500
NOW = "select now64(3, 'UTC') as now"
TABLE_UUID = "select uuid from system.tables where database = 'errata_mart' and name = {mart:String}"
MEMORY = "select toUInt64(value) as memory from system.server_settings where name = 'max_server_memory_usage'"
ROWS_BY_DAY = """
    select toDate(partition) as day, sum(rows) as row_count
    from system.parts
    where concat(database, '.', table) = {raw:String} and active
    group by day
"""
# What has no partitions by day holds nothing that a build looks through.
FIRST_DAY = """
    select min(toDateOrNull(partition)) as first_day
    from system.parts
    where database = 'errata_raw' and active
"""
WATERMARK = """
    select max(watermark) as watermark
    from errata_ops.builds
    where
        mart = {mart:String}
        and table_uuid in (
            select uuid from system.tables where database = 'errata_mart' and name = {mart:String}
        )
"""
WAITING = """
    select
        waiting_window.1 as window_start,
        waiting_window.2 as since,
        waiting_window.3 as row_count
    from (
        select argMax(waiting, number) as windows
        from errata_ops.builds
        where
            mart = {mart:String}
            and table_uuid in (
                select uuid from system.tables where database = 'errata_mart' and name = {mart:String}
            )
    )
    array join windows as waiting_window
    order by since, window_start
"""
PARTITIONS = """
    select partition_pair.1 as day, partition_pair.2 as version
    from (
        select argMax(arrayZip(partitions.day, partitions.version), number) as pairs
        from errata_ops.builds
        where
            mart = {mart:String}
            and table_uuid in (
                select uuid from system.tables where database = 'errata_mart' and name = {mart:String}
            )
    )
    array join pairs as partition_pair
"""
# Who was paused and taken for dead publishes nothing: another build may have dropped its rows by now.
PUBLISH = """
    insert into errata_ops.builds
        (mart, slot, number, table_uuid, watermark, attempt, window_count, row_count, seconds, waiting,
        partitions.day, partitions.version)
    select
        {mart:String}, (max(latest.1) + 1) % 16, {number:UInt64}, {table_uuid:UUID},
        {watermark:DateTime64(3, 'UTC')}, {attempt:String}, {window_count:UInt32}, {row_count:UInt64},
        {seconds:Float32},
        arrayZip(
            {waiting:Array(DateTime('UTC'))},
            {waiting_since:Array(DateTime64(3, 'UTC'))},
            {waiting_rows:Array(UInt64)}
        ),
        {days:Array(Date)}, {versions:Array(UInt64)}
    from (
        select argMax((slot, number), number) as latest
        from errata_ops.builds
        where mart = {mart:String}
    )
    having
        max(latest.2) < {number:UInt64}
        and (
            select count()
            from errata_ops.build_leases
            where mart = {mart:String} and attempt = {attempt:String} and state = 'revoked'
        ) = 0
"""
IS_PUBLISHED = """
    select count() as build_count
    from errata_ops.builds
    where mart = {mart:String} and number = {number:UInt64} and attempt = {attempt:String}
"""
ADD_ARRIVALS = """
    insert into errata_ops.window_arrivals
        (mart, window_start, first_received_at, last_received_at, row_count, table_uuid, search)
    select {mart:String}, row.1, row.2, row.3, row.4,
        (select uuid from system.tables where database = 'errata_mart' and name = {mart:String}),
        {search:String}
    from (
        select arrayJoin(arrayZip(
            {starts:Array(DateTime('UTC'))},
            {firsts:Array(DateTime64(3, 'UTC'))},
            {lasts:Array(DateTime64(3, 'UTC'))},
            {row_counts:Array(UInt64)}
        )) as row
    )
"""
# Of a table whose windows were found otherwise, or nobody knows how, nothing is taken over.
TABLE_BEFORE = """
    select before.table_uuid as table_uuid, before.watermark as watermark
    from (
        select build.table_uuid as table_uuid, build.watermark as watermark
        from errata_ops.builds as build
        where
            mart = {mart:String}
            and table_uuid not in (
                select uuid from system.tables where database = 'errata_mart' and name = {mart:String}
            )
        order by build.watermark desc
        limit 1
    ) as before
    inner join (
        select
            arrivals.table_uuid as table_uuid,
            countIf(arrivals.search != {search:String}) as otherwise_found_count
        from errata_ops.window_arrivals as arrivals
        where mart = {mart:String}
        group by arrivals.table_uuid
    ) as found on before.table_uuid = found.table_uuid
    where found.otherwise_found_count = 0
"""
TAKE_OVER = """
    insert into errata_ops.window_arrivals
        (mart, window_start, first_received_at, last_received_at, row_count, table_uuid, search)
    select {mart:String}, window_start, min(of_build.first_received_at), max(of_build.last_received_at),
        sum(of_build.row_count),
        (select uuid from system.tables where database = 'errata_mart' and name = {mart:String}),
        {search:String}
    from (
        -- A build that failed is followed by one that finds the same.
        select distinct window_start, first_received_at, last_received_at, row_count
        from errata_ops.window_arrivals
        where mart = {mart:String} and table_uuid = {table_uuid:UUID}
    ) as of_build
    group by window_start, toDate(of_build.first_received_at)
"""
WINDOWS = """
    select distinct window_start
    from errata_ops.window_arrivals
    where
        mart = {mart:String}
        and table_uuid in (
            select uuid from system.tables where database = 'errata_mart' and name = {mart:String}
        )
    order by window_start
"""


def record_build(
    warehouse: Warehouse, mart: str, watermark: datetime, window_count: int, row_count: int, seconds: float
) -> None:
    """Of a mart that Python makes: its table has no versions to publish."""
    warehouse.execute(
        PUBLISH,
        {
            "mart": mart,
            "number": warehouse.rows(NUMBER, {"mart": mart})[0]["number"],
            "table_uuid": warehouse.rows(TABLE_UUID, {"mart": mart})[0]["uuid"],
            "watermark": watermark,
            "attempt": uuid4().hex,
            "window_count": window_count,
            "row_count": row_count,
            "seconds": seconds,
            "days": [],
            "versions": [],
            **_waiting(()),
        },
    )


@dataclass(frozen=True)
class Records:
    attempt: Attempt

    def now(self) -> datetime:
        """The warehouse's clock, by which rows are received."""
        return utc(self.attempt.rows(NOW)[0]["now"])

    def memory(self) -> int:
        """Bytes that the warehouse may use."""
        return int(self.attempt.rows(MEMORY)[0]["memory"])

    def table_uuid(self) -> UUID:
        uuid: UUID = self.attempt.rows(TABLE_UUID, self._mart)[0]["uuid"]
        return uuid

    def rows_by_day(self, raw: str) -> dict[date, int]:
        """What raw holds of each day of receipt."""
        return {row["day"]: row["row_count"] for row in self.attempt.rows(ROWS_BY_DAY, {"raw": raw})}

    def first_received_on(self, until: datetime) -> datetime:
        """The midnight before which raw holds nothing at all; `until` where it never did."""
        (row,) = self.attempt.rows(FIRST_DAY)
        return datetime.combine(row["first_day"], time(), UTC) if row["first_day"] else until

    def watermark(self, mart: str) -> datetime:
        """Every row received before it is in the mart, or waits; 1970 before the first build."""
        return utc(self.attempt.rows(WATERMARK, {"mart": mart})[0]["watermark"])

    def waiting(self, mart: str) -> list[Waiting]:
        """Windows of which rows received before the watermark are not in the mart yet, the longest first."""
        return [
            Waiting(utc(row["window_start"]), utc(row["since"]), row["row_count"])
            for row in self.attempt.rows(WAITING, {"mart": mart})
        ]

    def publish(self, report: BuildReport, table_uuid: UUID, days: Sequence[date]) -> None:
        """The last act of a build: from now on its rows of these days count, and of other days those that
        counted before. Raises LeaseLost where it was taken for dead."""
        partitions = self._partitions() | {day: self.attempt.version_of(day) for day in days}
        told = {**self._mart, "number": self.attempt.number, "attempt": report.attempt}
        self.attempt.execute(
            PUBLISH,
            {
                **told,
                "table_uuid": table_uuid,
                "watermark": report.watermark,
                "window_count": len(report.windows),
                "row_count": report.row_count,
                "seconds": report.seconds,
                "days": list(partitions),
                "versions": list(partitions.values()),
                **_waiting(report.waiting),
            },
        )
        if not self.attempt.rows(IS_PUBLISHED, told)[0]["build_count"]:
            raise LeaseLost(report.mart, report.attempt)

    def published_days(self) -> frozenset[date]:
        """The days of which rows count."""
        return frozenset(self._partitions())

    def _partitions(self) -> dict[date, int]:
        return {row["day"]: row["version"] for row in self.attempt.rows(PARTITIONS, self._mart)}

    @property
    def _mart(self) -> dict[str, str]:
        return {"mart": self.attempt.mart.name}

    def take_over_arrivals(self, search: str) -> datetime | None:
        """For a table that nothing was built in yet: those of the table before it, complete up to the answer;
        None if they were not found by the same `search`.
        """
        told = {"mart": self.attempt.mart.name, "search": search}
        for before in self.attempt.rows(TABLE_BEFORE, told):
            self.attempt.execute(TAKE_OVER, {**told, "table_uuid": before["table_uuid"]})
            return utc(before["watermark"])
        return None

    def recorded_windows(self) -> list[datetime]:
        """All that rows came to, as far as the mart's table knows."""
        return [utc(row["window_start"]) for row in self.attempt.rows(WINDOWS, self._mart)]

    def add_arrivals(self, windows: Sequence[Window], search: str) -> None:
        """`search` names the way they were found."""
        for some in _chunks(windows):
            self.attempt.execute(
                ADD_ARRIVALS,
                {
                    "mart": self.attempt.mart.name,
                    "starts": [window.start for window in some],
                    "firsts": [window.first_received_at for window in some],
                    "lasts": [window.last_received_at for window in some],
                    "row_counts": [window.row_count for window in some],
                    "search": search,
                },
            )

    def arrivals(self, starts: Sequence[datetime]) -> list[Window]:
        """Of all builds so far, in order of time."""
        return arrivals_of_windows(self.attempt.rows, self.attempt.mart.name, starts)


def arrivals_of_windows(
    ask: Callable[[str, Parameters], list[Row]], mart: str, starts: Sequence[datetime]
) -> list[Window]:
    """As all builds of a mart so far have recorded them, in order of time."""
    asked = ({"mart": mart, "starts": list(some)} for some in _chunks(sorted(starts)))
    rows = (row for told in asked for row in ask(sql.query("arrivals_of_windows"), told))
    return [
        Window(
            start=utc(row["window_start"]),
            first_received_at=utc(row["first_received_at"]),
            last_received_at=utc(row["last_received_at"]),
            row_count=row["row_count"],
            receipt_days=frozenset(row["receipt_days"]),
        )
        for row in rows
    ]


def _chunks(many: Sequence[Chunked]) -> Iterator[Sequence[Chunked]]:
    """As many together as a statement's address can name."""
    for first in range(0, len(many), MOST_NAMED):
        yield many[first : first + MOST_NAMED]


def _waiting(waiting: Sequence[Waiting]) -> dict[str, object]:
    return {
        "waiting": [one.start for one in waiting],
        "waiting_since": [one.since for one in waiting],
        "waiting_rows": [one.row_count for one in waiting],
    }
