"""The delivery ledger, ready for its template."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from markupsafe import Markup

from dashboards.delivery.board import Board, board
from dashboards.delivery.byte_bars import Piece, byte_bar
from dashboards.delivery.line_words import line_words
from dashboards.delivery.out_of_date import OutOfDate, out_of_date
from dashboards.delivery.services import service_words
from dashboards.shared import periods
from dashboards.shared.chart_json import chart_json
from dashboards.shared.delivery_verdict import Verdict, unknown_hosts, verdict
from dashboards.shared.disk import ShownDisk, shown_disk
from dashboards.shared.outcomes import Changed, changed
from errata.field_outcomes import FieldOutcome
from errata.period import Grain, Period
from errata.reports import charts, formats
from errata.reports.chart_marks import with_annotations
from errata.state.annotations import Annotation
from errata.warehouse.at_once import both, submitted
from errata.warehouse.client import Warehouse
from errata.warehouse.disk import Bound
from errata.warehouse.queries.delivery import ledger as questions
from errata.warehouse.queries.delivery.ledger import (
    FileRow,
    Filters,
    HostRow,
    State,
    Summary,
)
from errata.warehouse.queries.delivery.set_aside import set_aside_of_projects
from errata.warehouse.queries.delivery.storage import storage
from errata.warehouse.queries.delivery.usage import line_sources, present_refusals

LOSSES_SHOWN = 4
# As *Usage* counts.
RECEIVED_HOURS = 24
HOURS_UNTIL = timedelta(days=14)
# Longer than reports are kept.
EVER = Period("104w")


@dataclass(frozen=True, slots=True)
class Card:
    name: str
    value: str
    note: str
    is_bad: bool = False


@dataclass(frozen=True, slots=True)
class ShownFile:
    row: FileRow
    state: State
    bar: Sequence[Piece]
    losses: Sequence[str]

    @property
    def service(self) -> str:
        return service_words(self.row.service)

    @property
    def words(self) -> str:
        """The bar in words."""
        row = self.row
        parts = [f"{formats.size(row.delivered_bytes)} of {formats.size(row.written_bytes)} delivered"]
        if row.missing_bytes:
            parts.append(f"{formats.size(row.missing_bytes)} missing")
        if row.waiting_bytes:
            parts.append(f"{formats.size(row.waiting_bytes)} in transit")
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Ledger:
    """`host_names` are the choices of the filter; `has_reported`: whether any shipper ever did."""

    verdict: Verdict
    cards: Sequence[Card]
    files: Sequence[ShownFile]
    next_cursor: str
    board: Board
    host_names: Sequence[str]
    has_reported: bool
    figure: Markup | None
    lag_words: str
    changed: Sequence[Changed]
    """Items and values not stored as sent."""
    line_words: str
    """How the lines of log files and those of the page of limits add up; empty where one host or
    service is chosen."""
    unknown_hosts: str
    disk: ShownDisk | None
    out_of_date: Sequence[OutOfDate]


def ledger(
    warehouse: Warehouse,
    filters: Filters,
    is_missing_only: bool,
    cursor: str,
    bound: Bound,
    annotations: Sequence[Annotation],
) -> Ledger:
    today = filters.now.date()
    pending_disk = submitted(lambda: storage(warehouse, bound, today))
    everywhere = replace(filters, host="")
    pending_outcomes = submitted(lambda: questions.outcomes(warehouse, everywhere))
    pending_sources = submitted(
        lambda: line_sources(warehouse, filters.projects, filters.now, RECEIVED_HOURS, filters.days)
    )
    pending_set_aside = submitted(lambda: set_aside_of_projects(warehouse, filters.projects))
    pending_refusals = submitted(lambda: present_refusals(warehouse, filters.projects, filters.now))
    shared = warehouse.shared()
    page, known = both(
        lambda: questions.files(shared, filters, cursor=cursor, is_missing_only=is_missing_only),
        lambda: questions.hosts(shared, everywhere, _step(filters)),
    )
    # Servers of error events may be of any service.
    servers = [] if filters.service else questions.servers_without_files(warehouse, everywhere, known)
    hosts = [row for row in known if filters.host in ("", row.host)]
    summary = questions.summary(hosts, filters.now)
    stored = pending_disk.result()
    disk = shown_disk(stored, today) if stored is not None else None
    lagging = [row for row in hosts if row.lags]
    refused = pending_refusals.result()
    return Ledger(
        verdict=verdict(hosts, refused, filters.now, periods.within(filters.period)),
        cards=list(_cards(summary)),
        files=[_shown(row, filters.now) for row in page.files],
        next_cursor=page.next_cursor or "",
        board=board(warehouse, filters, hosts, refused),
        host_names=sorted(row.host for row in known),
        has_reported=bool(known or questions.hosts(warehouse, Filters(filters.projects, EVER, filters.now))),
        figure=_figure(lagging, filters, annotations) if lagging else None,
        lag_words=_lag_words(lagging),
        # What was never sent is shown by *Usage*.
        changed=[
            changed(row) for row in pending_outcomes.result() if row.outcome != FieldOutcome.CLIENT_DISCARD
        ],
        line_words="" if filters.host or filters.service else line_words(pending_sources.result().values()),
        unknown_hosts=unknown_hosts(servers),
        disk=disk,
        out_of_date=out_of_date(pending_set_aside.result(), filters.now),
    )


def _figure(lagging: Sequence[HostRow], filters: Filters, annotations: Sequence[Annotation]) -> Markup:
    step, chosen = _step(filters), filters.days
    # The step that the end is in reaches to its end.
    until = Grain.HOUR.end(chosen.shown_until)
    until = until if until == chosen.until else until - timedelta(hours=1) + step
    hosts = [(row.host, row.lags) for row in lagging]
    return chart_json(with_annotations(charts.longest_lags(hosts, step, chosen.since, until), annotations))


def _step(filters: Filters) -> timedelta:
    length = filters.days.last_day - filters.since
    return timedelta(hours=1) if length <= HOURS_UNTIL else timedelta(days=1)


def _shown(row: FileRow, now: datetime) -> ShownFile:
    return ShownFile(row, row.state(now), byte_bar(row), list(_losses(row)))


def _losses(row: FileRow) -> Iterator[str]:
    for since, until in row.gaps[:LOSSES_SHOWN]:
        yield f"Gap: {_range(since, until)}"
    if row.gap_count > LOSSES_SHOWN:
        yield f"and {formats.plural(row.gap_count - LOSSES_SHOWN, 'more gap')}"
    if row.is_cut_off:
        yield f"Cut-off end: {_range(row.delivered_until, row.written_bytes)}; {_why(row)}"


def _range(since: int, until: int) -> str:
    return f"bytes {since:,} to {until:,} ({formats.size(until - since)})"


def _why(row: FileRow) -> str:
    if row.file_end == "removed":
        return "the file was removed before delivery"
    if row.file_end == "replaced":
        return "the file was truncated or replaced before delivery"
    return "the host has been delivering later files for over a day"


def _cards(summary: Summary) -> Iterator[Card]:
    yield Card("Written", formats.size(summary.written_bytes), formats.plural(summary.file_count, "file"))
    yield Card(
        "Delivered",
        formats.size(summary.delivered_bytes),
        formats.plural(summary.batch_count, "batch", "batches"),
    )
    losses = formats.plural(summary.missing_file_count, "file")
    yield Card("Missing", formats.size(summary.missing_bytes), losses, is_bad=summary.missing_bytes > 0)
    yield Card(
        "In transit", formats.size(summary.waiting_bytes), formats.plural(summary.waiting_file_count, "file")
    )
    yield Card("Sent again", formats.size(summary.repeated_bytes), "counted once")
    yield Card(
        "Lines",
        formats.compact(summary.accepted_count),
        f"of these log files; {formats.compact(summary.rejected_count)} rejected",
    )
    yield Card("Longest lag", formats.duration(summary.lag_ms_max or None), "from writing to storage")


def _lag_words(lagging: Sequence[HostRow]) -> str:
    if not lagging:
        return "No timestamped lines yet."
    longest = max(lagging, key=lambda row: row.lag_ms_max)
    duration = formats.duration(longest.lag_ms_max)
    return f"Longest lag by host over time; the longest is {duration} on {longest.host}"
