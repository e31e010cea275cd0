"""The delivery ledger: the files that hosts report, and the bytes of them that have arrived."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import date, datetime, timedelta
from enum import StrEnum
from urllib.parse import quote, unquote

from errata.clock import utc
from errata.period import Period, TimeRange
from errata.service_names import NO_SERVICE
from errata.warehouse import sql
from errata.warehouse.client import Parameters, Row, Warehouse
from errata.warehouse.queries.cursor import cursor_text, cursor_values, unknown_cursor
from errata.warehouse.queries.progress import progress
from errata.warehouse.typed_rows import typed

DAY = timedelta(days=1)
# A host that delivered in the last two weeks is silent after a day, or after its habit where that is known.
HEARD_WITHIN = timedelta(days=14)
SILENT_AFTER = timedelta(days=1)
# Shippers of an application in use deliver every few seconds. What is quiet may be idle, or not running.
QUIET_AFTER = timedelta(minutes=10)
# A host that was heard in as many hours has a habit, which a longer silence breaks. Hours are its grain.
FEWEST_HOURS_HEARD = 24
GRAIN = timedelta(hours=1)
# The end of a live file arrives within seconds: a host that announces one and then goes silent has stopped.
STALLED_AFTER = timedelta(hours=1)
# Containers may name thousands.
MOST_SERVERS = 1_000


class State(StrEnum):
    """`missing`: later bytes or files arrived first. `stalled`: bytes are waiting, and nothing arrives."""

    COMPLETE = "complete"
    DELIVERING = "delivering"
    STALLED = "stalled"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Filters:
    """A period counts in whole days of log files. An empty host or service means all; `(none)`: keys without
    a service; `(several)`: log files with lines of more than one."""

    projects: Sequence[int]
    period: Period
    now: datetime
    host: str = ""
    service: str = ""

    @property
    def days(self) -> TimeRange:
        return self.period.of_days(self.now)

    @property
    def since(self) -> date:
        return self.days.since.date()

    @property
    def until(self) -> date:
        """The day after the last."""
        return self.days.until.date()

    @property
    def services(self) -> list[str]:
        """The chosen one as stored, if any."""
        if self.service == NO_SERVICE:
            return [""]
        return [self.service] if self.service else []

    @property
    def heard_since(self) -> date:
        return min(self.since, (self.now - HEARD_WITHIN).date())


@dataclass(frozen=True, slots=True)
class FileRow:
    """One log file. Lags are None if no line has a time of writing."""

    day: date
    host: str
    file: str
    file_id: str
    service: str
    """Empty: of a key without a service; `(several)`: it has lines of more than one."""
    written_bytes: int
    delivered_until: int
    delivered_bytes: int
    missing_bytes: int
    waiting_bytes: int
    repeated_bytes: int
    gap_count: int
    gap_bytes: int
    gaps: Sequence[tuple[int, int]]
    """The first 1,000 gaps, from start to end (exclusive)."""
    is_cut_off: bool
    """The bytes after `delivered_until` can never arrive, or the host continued without them for over a
    day."""
    file_end: str
    accepted_count: int
    rejected_count: int
    set_aside_count: int
    batch_count: int
    repeated_batch_count: int
    first_received_at: datetime
    last_received_at: datetime
    lag_ms_p50: float | None
    lag_ms_p95: float | None
    lag_ms_max: float | None

    @property
    def missing_ranges(self) -> list[tuple[int, int]]:
        """The gaps, and the end of the file if it can no longer arrive."""
        cut_off = [(self.delivered_until, self.written_bytes)] if self.is_cut_off else []
        return [*self.gaps, *cut_off]

    def state(self, now: datetime) -> State:
        if self.missing_bytes:
            return State.MISSING
        if not self.waiting_bytes:
            return State.COMPLETE
        return State.STALLED if now - self.last_received_at > STALLED_AFTER else State.DELIVERING


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """Totals over the files of a period, of all hosts."""

    file_count: int
    missing_file_count: int
    waiting_file_count: int
    written_bytes: int
    delivered_bytes: int
    missing_bytes: int
    waiting_bytes: int
    repeated_bytes: int
    gap_count: int
    cut_off_count: int
    accepted_count: int
    rejected_count: int
    set_aside_count: int
    batch_count: int
    repeated_batch_count: int
    lag_ms_max: float


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRow(Sums):
    """One host. `last_received_at` covers two weeks at least, whatever the period.

    `lags`: the longest lag in ms by step of receipt, oldest first; steps without a delivery are left out.
    `heard_hours`: hours in which something came, and the longest time between two of them, of two weeks at
    least.
    """

    host: str
    last_received_at: datetime
    heard_hours: int
    longest_silence_seconds: int
    lags: Sequence[tuple[datetime, int]]

    def is_quiet(self, now: datetime) -> bool:
        return now - self.last_received_at > QUIET_AFTER

    @property
    def has_habit(self) -> bool:
        return self.heard_hours >= FEWEST_HOURS_HEARD

    @property
    def longest_silence(self) -> timedelta:
        """The longest that it was ever silent, if it was heard often enough to tell; else a day."""
        if not self.has_habit:
            return SILENT_AFTER
        return timedelta(seconds=self.longest_silence_seconds) + GRAIN

    def is_silent(self, now: datetime) -> bool:
        """Whether nothing came for longer than ever before in two weeks, or for a day where too little is
        known of it. Pages, health, mails and REST all ask this."""
        return now - self.last_received_at > self.longest_silence

    def with_other(self, other: "HostRow") -> "HostRow":
        """With what the host delivered to projects on another shard."""
        lags = dict(self.lags)
        for start, lag_ms in other.lags:
            lags[start] = max(lag_ms, lags.get(start, lag_ms))
        return replace(
            self,
            **{name: getattr(self, name) + getattr(other, name) for name in SUMMED},
            lag_ms_max=max(self.lag_ms_max, other.lag_ms_max),
            last_received_at=max(self.last_received_at, other.last_received_at),
            heard_hours=max(self.heard_hours, other.heard_hours),
            longest_silence_seconds=min(self.longest_silence_seconds, other.longest_silence_seconds),
            lags=sorted(lags.items()),
        )

    def is_stalled(self, now: datetime) -> bool:
        return self.waiting_bytes > 0 and now - self.last_received_at > STALLED_AFTER


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """The count of items or values accepted, but not stored as sent. `item_types` are the most frequent ones,
    each with its count; `reason` is the kind of the inbound filter of items that were filtered."""

    outcome: str
    item_count: int
    last_received_at: datetime
    item_types: Sequence[tuple[str, int]] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class FilePage:
    files: Sequence[FileRow]
    next_cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary(Sums):
    """Totals of all hosts."""

    host_count: int
    missing_hosts: Sequence[str]
    silent_hosts: Sequence[HostRow]

    @property
    def is_everything_delivered(self) -> bool:
        return not self.missing_bytes and not self.waiting_bytes

    @property
    def is_anything_missing(self) -> bool:
        return bool(self.missing_bytes)


SUMMED = tuple(field.name for field in fields(Sums) if field.name.endswith(("_bytes", "_count")))
FIRST = {
    "after_is_whole": 0,
    "after_day": date(1970, 1, 1),
    "after_host": "",
    "after_file": "",
    "after_file_id": "",
}


def files(
    warehouse: Warehouse, filters: Filters, limit: int = 50, cursor: str = "", is_missing_only: bool = False
) -> FilePage:
    """Files with bytes missing first, then the newest."""
    parameters = {
        "projects": list(filters.projects),
        "files_since": filters.since,
        "until": filters.until,
        "host": filters.host,
        "services": filters.services,
        "is_missing_only": is_missing_only,
        "has_cursor": bool(cursor),
        **_after(cursor),
        "limit": limit + 1,
    }
    rows = _as_of_now(warehouse, sql.query("files_of_delivery"), parameters)
    shown = [typed(FileRow, row) for row in rows[:limit]]
    return FilePage(shown, _cursor(shown[-1]) if len(rows) > limit else None)


def hosts(warehouse: Warehouse, filters: Filters, lag_step: timedelta = DAY) -> list[HostRow]:
    """Hosts with most bytes missing first, including hosts heard of recently without a file in the period."""
    parameters = {
        "projects": list(filters.projects),
        "files_since": filters.heard_since,
        "since": filters.since,
        "until": filters.until,
        "host": filters.host,
        "services": filters.services,
        "lag_seconds": int(lag_step.total_seconds()),
    }
    found: dict[str, HostRow] = {}
    for shard, projects in warehouse.by_shard(filters.projects):
        for row in _as_of_now(shard, sql.query("hosts_of_delivery"), {**parameters, "projects": projects}):
            lags = [(utc(start), lag_ms) for start, lag_ms in zip(*row["lags"], strict=True)]
            own = typed(HostRow, row, lags=lags)
            found[own.host] = own if own.host not in found else found[own.host].with_other(own)
    return sorted(found.values(), key=lambda row: (-row.missing_bytes, row.host))


def outcomes(warehouse: Warehouse, filters: Filters) -> list[OutcomeRow]:
    """Outcomes in the projects, over all hosts: the most frequent first."""
    parameters = {
        "projects": list(filters.projects),
        "since": filters.since,
        "until": filters.until,
        "services": filters.services,
    }
    rows = warehouse.rows(sql.query("outcomes_of_delivery"), parameters)
    return [typed(OutcomeRow, row) for row in rows]


def servers_without_files(warehouse: Warehouse, filters: Filters, found: Sequence[HostRow]) -> Sequence[str]:
    """Servers that error events of the period name, and that are none of the hosts found."""
    scope = {"projects": list(filters.projects), "since": filters.days.since, "until": filters.days.until}
    rows = warehouse.rows(sql.query("servers_of_events"), {**scope, "limit": MOST_SERVERS})
    # A host with several shippers is reported as web-1/shop.
    hosts_found = {name for row in found for name in (row.host, row.host.partition("/")[0])}
    return [row["server_name"] for row in rows if row["server_name"] not in hosts_found]


def summary(found: Sequence[HostRow], now: datetime) -> Summary:
    return Summary(
        host_count=sum(row.file_count > 0 for row in found),
        lag_ms_max=max((row.lag_ms_max for row in found), default=0.0),
        missing_hosts=[row.host for row in found if row.missing_bytes],
        silent_hosts=[row for row in found if row.is_silent(now)],
        **{name: sum(getattr(row, name) for row in found) for name in SUMMED},
    )


def _as_of_now(warehouse: Warehouse, question: str, parameters: Parameters) -> list[Row]:
    asked = warehouse.of(parameters["projects"])
    bound = {"complete_through": progress(asked, "delivery_daily").complete_through}
    return warehouse.rows(question, {**parameters, **bound})


def _cursor(row: FileRow) -> str:
    names = (quote(name, safe="", errors="surrogatepass") for name in (row.host, row.file, row.file_id))
    return cursor_text(int(row.missing_bytes == 0), row.day.toordinal(), *names)


def _after(cursor: str) -> Parameters:
    if not cursor:
        return FIRST
    is_whole, day, *names = cursor_values(cursor, len(FIRST))
    try:
        last_day = date.fromordinal(int(day))
    except (ValueError, OverflowError) as error:
        raise unknown_cursor() from error
    texts = [unquote(name) for name in names]
    if is_whole not in ("0", "1") or any("\0" in text for text in texts):
        raise unknown_cursor()
    if not date(1970, 1, 1) <= last_day < date(2149, 1, 1):
        raise unknown_cursor()
    return dict(zip(FIRST, (int(is_whole), last_day, *texts), strict=True))
