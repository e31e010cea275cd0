"""One build of one mart: dirty windows, an aside table, a recount, swaps, a watermark."""

import hashlib
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from datetime import time as time_of_day
from itertools import groupby
from typing import Any, TypeVar

from errata.errors import ErrataError
from errata.warehouse import sql
from errata.warehouse.builds.attempt import Attempt, check_statement, clear_dead_attempts
from errata.warehouse.builds.lease import Lease, Pace
from errata.warehouse.builds.mart import BuildReport, Mart, Window
from errata.warehouse.builds.raw_rows import MILLISECOND, raw_rows
from errata.warehouse.builds.receipt_days import spanned
from errata.warehouse.builds.records import Records, aware
from errata.warehouse.builds.turns import Turn, turn, with_arrived
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.disk import BUILDS_BOUND, Bound, DiskFull, require, space_of
from errata.warehouse.retention import rebuildable_days

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")

log = logging.getLogger("errata.builds")

WINDOWS_AN_INSERT = 50
PARTITIONS_A_COPY = 20
RECEIVED_AT_ONCE = 7
"""Days, of receipt, that are looked through together at most."""
INSERTS_AT_ONCE = 4
"""Or as many rows as so many inserts read, but one day."""
CATCHING_UP = timedelta(days=1)
CORES = 2
# What one insert may use: the limit of those who build.
INSERT_MEMORY = 1_200_000_000
ID_COUNT = 1 << 64
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

SIZE = """
    select sum(rows) as row_count, sum(bytes_on_disk) as byte_count
    from system.parts
    where database = 'errata_mart' and table = {mart:String} and active
        and partition_id in {partitions:Array(String)}
"""
ROW_BYTES = """
    select sum(data_uncompressed_bytes) / greatest(sum(rows), 1) as row_bytes
    from system.parts
    where database = 'errata_mart' and table = {mart:String} and active
"""


class RecountFailed(ErrataError):
    """What was built does not add up to what it was built from; nothing was swapped in."""

    code = "recount_failed"

    def __init__(self, mart: str, built_count: int, expected_count: int) -> None:
        super().__init__(f"The build of {mart} counts {built_count} where a recount gives {expected_count}")
        self.mart = mart
        self.built_count = built_count
        self.expected_count = expected_count


def build(
    warehouse: Warehouse, mart: Mart, pace: Pace | None = None, bound: Bound = BUILDS_BOUND
) -> BuildReport:
    """Brings a mart up to now less the lag. Raises LeaseHeld if another build of it outlasts the wait, and
    DiskFull where what it makes aside would take room that must stay free."""
    pace = pace or Pace()
    attempt = Attempt(warehouse, mart.name)
    held = [name for name in (mart.source, *mart.beside, mart.name) if name]
    with Lease(warehouse, held, attempt.id, pace) as lease:
        for name in held:
            clear_dead_attempts(warehouse, name)
        try:
            return Build(warehouse, mart, attempt, lease, bound).run(pace.lag)
        except DiskFull:
            # At once: the next attempt, which would drop it, may come too late for those who deliver.
            attempt.drop()
            raise


@dataclass
class Build:
    warehouse: Warehouse
    mart: Mart
    attempt: Attempt
    lease: Lease
    bound: Bound = BUILDS_BOUND

    def run(self, lag: timedelta) -> BuildReport:
        started = time.monotonic()
        table_uuid = self.records.table_uuid()
        since, until = self.records.watermark(self.mart.name), self._until(lag)
        chosen = self.turn(since, until)
        windows = chosen.windows
        row_count = byte_count = 0
        if windows:
            partitions = self.fill(windows, until, cores(since, until) if self.mart.has_known_memory else 1)
            self.attempt.merge()
            self.attempt.swap(partitions, self.lease)
            row_count, byte_count = self._size(partitions)
        report = BuildReport(
            mart=self.mart.name,
            attempt=self.attempt.id,
            watermark=max(since, until),
            windows=[window.start for window in windows],
            row_count=row_count,
            byte_count=byte_count,
            seconds=time.monotonic() - started,
            waiting=chosen.waiting,
        )
        self.lease.check()
        self.records.finish(report, table_uuid)
        self.attempt.drop()
        log.info(
            "built %s through %s: %d windows, %d rows, %.1f s, %d windows wait",
            *(self.mart.name, report.watermark, len(windows), row_count, report.seconds),
            len(report.waiting),
        )
        return report

    @property
    def records(self) -> Records:
        return Records(self.attempt)

    def _until(self, lag: timedelta) -> datetime:
        return self.records.watermark(self.mart.source) if self.mart.source else self.records.now() - lag

    def turn(self, since: datetime, until: datetime) -> Turn:
        """What is built now, and what waits."""
        waiting = self.records.waiting(self.mart.name) if self.mart.late_by_turns else []
        if until <= since:
            return Turn([], waiting)
        if not self.mart.late_by_turns:
            return Turn(self.windows(since, until), [])
        dirty = with_arrived(waiting, self._arrived(since, until), since)
        return turn(self._with_all_arrivals([one.start for one in dirty], until), dirty, since, until)

    def windows(self, since: datetime, until: datetime) -> list[Window]:
        """The dirty windows, each with its first and last arrival of all time."""
        arrived = self._arrived(since, until)
        if self.mart.source:
            return arrived
        return self._with_all_arrivals([window.start for window in arrived], until)

    def _arrived(self, since: datetime, until: datetime) -> list[Window]:
        """The windows that rows came to, with the first and last of these."""
        search = _hash(sql.query(self.mart.dirty))
        recorded: list[Window] = []
        if since == EPOCH and self.mart.raw:
            # Of a mart made anew, what was found for the table before it need not be looked for again.
            since = self.records.take_over_arrivals(search) or EPOCH
            recorded = self.records.arrivals(self.records.recorded_windows()) if since != EPOCH else []
        oldest = self._oldest(until)
        asked = list(self._spans(since, until))
        each = self._each(asked, lambda span: self._dirty(*span, oldest), cores(since, until))
        found = [window for windows in each for window in windows]
        if found and not self.mart.source:
            self.records.add_arrivals(found, search)
        return together([*recorded, *found])

    def _spans(self, since: datetime, until: datetime) -> Iterable[tuple[datetime, datetime]]:
        if not self.mart.raw:
            return [(since, until)]
        oldest = self._oldest(until)
        if since < oldest:
            since = max(since, self.records.first_received_on(until))
        rows = self.records.rows_by_day(self.mart.raw)
        return spans(since, until, oldest, rows, INSERTS_AT_ONCE * self.mart.rows_an_insert)

    def _with_all_arrivals(self, starts: Sequence[datetime], until: datetime) -> list[Window]:
        oldest = self._oldest(until)
        recorded = self.records.arrivals(starts) if starts else []
        # A window that took rows longer ago than raw is kept can no longer be computed from raw.
        return [window for window in recorded if min(window.start, window.first_received_at) >= oldest]

    def _oldest(self, until: datetime) -> datetime:
        kept = timedelta(days=rebuildable_days(self.mart.raw)) if self.mart.raw else until - EPOCH
        return (until - kept).replace(hour=0, minute=0, second=0, microsecond=0)

    def _dirty(self, since: datetime, until: datetime, oldest: datetime) -> list[Window]:
        span = {"since": since, "until": until, "oldest": oldest}
        return [self._window(row) for row in self.attempt.rows(sql.query(self.mart.dirty), span)]

    def _window(self, row: Row) -> Window:
        first, last = aware(row["first_received_at"]), aware(row["last_received_at"])
        # Of another mart a window may be all there is since 1970.
        days = spanned(first, last) if self.mart.raw else frozenset[date]()
        return Window(aware(row["window_start"]), first, last, row["row_count"], days)

    def fill(self, windows: Sequence[Window], until: datetime, core_count: int = 1) -> list[str]:
        self.attempt.run("create_build_table")
        by_partition = groupby(windows, lambda window: self.mart.partition_id(window.start))
        starts = {partition_id: [window.start for window in same] for partition_id, same in by_partition}
        partitions = list(starts)
        if self.mart.has_part_of_a_partition:
            for number in range(0, len(partitions), PARTITIONS_A_COPY):
                some = partitions[number : number + PARTITIONS_A_COPY]
                self.attempt.run(
                    "copy_clean_windows",
                    {
                        "partitions": some,
                        "windows": [start for partition_id in some for start in starts[partition_id]],
                        "watermark": until,
                    },
                    column=self.mart.column,
                )
        chunks = list(inserts(windows, self.mart.rows_an_insert))
        self._each(chunks, lambda chunk: self.insert(chunk, until), core_count)
        return partitions

    def _each(self, asked: Sequence[Asked], ask: Callable[[Asked], Answer], core_count: int) -> list[Answer]:
        """Answers in the order asked, two of them made at once where memory is known to suffice."""
        at_once = 1
        if self.mart.has_known_memory and min(core_count, len(asked)) > 1:
            at_once = min(core_count, max(1, self.records.memory() // INSERT_MEMORY))
        self.attempt.threads = core_count // at_once
        with ThreadPoolExecutor(at_once) as pool:
            try:
                return [answer.result() for answer in [pool.submit(ask, one) for one in asked]]
            finally:
                pool.shutdown(cancel_futures=True)
                self.attempt.threads = 1

    def insert(self, windows: Sequence[Window], until: datetime) -> None:
        model = sql.parse(sql.DIRECTORY / "models" / f"{self.mart.name}.sql").statements[1]
        parameters = self._parameters(windows, until)
        for span in slices(self._slice_count(windows)):
            require(space_of(self.warehouse), self.bound)
            self.attempt.run("fill_build_table", {**parameters, **span}, model=model)
        for row in self.attempt.rows(
            check_statement(self.mart.name, f"errata_mart.{self.attempt.build}"), parameters
        ):
            if row["built_count"] != row["expected_count"]:
                raise RecountFailed(self.mart.name, row["built_count"], row["expected_count"])

    def _parameters(self, windows: Sequence[Window], until: datetime) -> dict[str, Any]:
        first_received_at = min(window.first_received_at for window in windows)
        last_received_at = max(window.last_received_at for window in windows)
        received_to = min(last_received_at + MILLISECOND, until)
        starts = [window.start for window in windows]
        return {
            **raw_rows(starts, self.mart.window, windows, first_received_at, received_to),
            "watermark": until,
            "projects": self.records.projects(),
        }

    def _slice_count(self, windows: Sequence[Window]) -> int:
        row_count = sum(window.row_count for window in windows)
        if self.mart.is_sliced_by_cell:
            return 1 + max(row_count - 1, 0) // self.mart.rows_an_insert
        if not self.mart.sliced_by:
            return 1
        row_bytes = self.attempt.rows(ROW_BYTES, {"mart": self.mart.sliced_by})[0]["row_bytes"]
        return 1 + int(row_count * row_bytes) // self.mart.slice_bytes

    def _size(self, partitions: Sequence[str]) -> tuple[int, int]:
        row = self.warehouse.rows(SIZE, {"mart": self.mart.name, "partitions": list(partitions)})[0]
        return row["row_count"], row["byte_count"]


def _hash(statement: str) -> str:
    return hashlib.blake2b(statement.encode(), digest_size=8).hexdigest()


def cores(since: datetime, until: datetime) -> int:
    """A first build takes minutes or hours; what refreshes leaves a core to those who read."""
    return CORES if until - since > CATCHING_UP else 1


def spans(
    since: datetime, until: datetime, oldest: datetime, rows: Mapping[date, int], most_rows: int
) -> Iterator[tuple[datetime, datetime]]:
    """Of receipt, half-open: a first build looks at months of rows. `rows`: of each day of receipt."""
    begin = since
    while begin < until:
        end = oldest if begin < oldest else _day_after(begin.date(), rows, most_rows)
        yield begin, min(end, until)
        begin = min(end, until)


def _day_after(first: date, rows: Mapping[date, int], most_rows: int) -> datetime:
    """The midnight by which as many rows have come as are looked at together."""
    row_count = 0
    for number in range(RECEIVED_AT_ONCE):
        day = first + timedelta(days=number)
        row_count += rows.get(day, 0)
        if number and row_count > most_rows:
            break
    else:
        day += timedelta(days=1)
    return datetime.combine(day, time_of_day(), UTC)


def together(found: Iterable[Window]) -> list[Window]:
    """In order, each window once, with all its arrivals."""
    windows = sorted(found, key=lambda window: window.start)
    return [_joined(list(same)) for _, same in groupby(windows, lambda window: window.start)]


def _joined(windows: Sequence[Window]) -> Window:
    return Window(
        start=windows[0].start,
        first_received_at=min(window.first_received_at for window in windows),
        last_received_at=max(window.last_received_at for window in windows),
        row_count=sum(window.row_count for window in windows),
        receipt_days=frozenset().union(*(window.receipt_days for window in windows)),
    )


def inserts(windows: Sequence[Window], most_rows: int) -> Iterator[list[Window]]:
    """Windows in their order, as many together as one insert may hold in memory."""
    chunk: list[Window] = []
    for window in windows:
        row_count = sum(other.row_count for other in chunk) + window.row_count
        if chunk and (len(chunk) == WINDOWS_AN_INSERT or row_count > most_rows):
            yield chunk
            chunk = []
        chunk.append(window)
    if chunk:
        yield chunk


def slices(count: int) -> Iterator[dict[str, int]]:
    """Ranges of ids or cells, which are hashes: about as many rows in each."""
    for number in range(count):
        yield {
            "slice_from": ID_COUNT * number // count,
            "slice_to": ID_COUNT * (number + 1) // count - 1,
        }
