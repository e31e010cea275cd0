"""The delivery ledger: hosts' log files and their arrived bytes, as JSON, CSV or Parquet."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import AliasPath, BaseModel, BeforeValidator, Field

from api.authentication import DECLARED, CallerDependency
from api.context import ContextDependency
from api.parameters import CursorParameter, LimitParameter, Moment, PeriodParameter
from api.problems import responses
from api.shown import Shown, digits
from api.tables import FILES_TOO, Format, table_file
from errata.period import Period
from errata.warehouse.queries.delivery import ledger
from errata.warehouse.queries.delivery.ledger import FileRow, Filters, State
from errata.warehouse.queries.delivery.set_aside import set_aside_of_projects
from errata.warehouse.queries.delivery.storage import storage

router = APIRouter(tags=["delivery"])

FAILURES = responses(
    "invalid_parameter", "invalid_api_key", "project_not_found", "state_unavailable", "warehouse_unavailable"
)
MOST_FILE_ROWS = 100_000
Rounded = Annotated[float, digits(3)]
SILENT = "silent for longer than ever in two weeks; for a day if heard in fewer than 24 hours of them"
Files = Annotated[Literal["all", "missing"], Query(description="`missing`: only files with missing bytes.")]
Host = Annotated[str, Query(max_length=250, description="Only this one; empty: all.")]
Service = Annotated[
    str,
    Query(
        max_length=32,
        description=(
            "Only this service's application keys; empty: all; `(none)`: keys without a service; "
            "`(several)`: log files with lines from more than one service."
        ),
    ),
]


class RangeShown(BaseModel):
    from_byte: int = Field(serialization_alias="from")
    to_byte: int = Field(serialization_alias="to", description="Exclusive.")


class FileShown(Shown):
    day: date = Field(description="Day in the file name, UTC, or day of receipt.")
    host: str
    file: str = Field(description="Without rotation suffix.")
    file_id: str = Field(description="Hash of its first line; empty: not reported.")
    service: str = Field(
        description=(
            "Service of its accepted lines' application keys; empty: none; `(several)`: more than one."
        )
    )
    state: State = Field(
        description=(
            "`complete`; `delivering`: its end is in transit; `stalled`: in transit, but nothing arrived for "
            "an hour; `missing`: bytes were lost or skipped."
        )
    )
    written_bytes: int = Field(description="Largest reported size.")
    delivered_bytes: int = Field(description="Counted once.")
    missing_bytes: int = Field(description="Bytes missing in gaps and at the end of closed files.")
    waiting_bytes: int = Field(description="Written after the last delivery.")
    repeated_bytes: int = Field(description="Delivered again by another batch.")
    gap_count: int
    gaps: list[RangeShown] = Field(description="The first 1,000, and the cut-off end.")
    file_end: str = Field(description="`removed` or `replaced` on the host; empty: still present.")
    accepted_count: int = Field(description="Lines.")
    rejected_count: int = Field(description="Lines refused by the server.")
    set_aside_count: int = Field(description="Lines kept on the host without being sent.")
    batch_count: int = Field(description="Includes reports without lines.")
    repeated_batch_count: int = Field(description="Copies of batches already stored.")
    first_received_at: Moment
    last_received_at: Moment
    lag_ms_p50: Rounded | None = Field(
        description="From a batch's newest line to its receipt, to three digits."
    )
    lag_ms_p95: Rounded | None
    lag_ms_max: Rounded | None


class HostShown(Shown):
    host: str
    is_silent: bool = Field(description=f"Active within two weeks, but {SILENT}.")
    last_received_at: Moment
    file_count: int
    missing_file_count: int = Field(description="Files with missing bytes.")
    waiting_file_count: int = Field(description="Files whose end is in transit.")
    written_bytes: int
    delivered_bytes: int
    missing_bytes: int
    waiting_bytes: int
    repeated_bytes: int
    gap_count: int
    cut_off_count: int
    accepted_count: int = Field(description="Lines.")
    rejected_count: int
    set_aside_count: int = Field(description="Lines kept on the host without being sent.")
    batch_count: int
    repeated_batch_count: int
    lag_ms_max: float


class HostTable(BaseModel):
    hosts: list[HostShown]


class SilentHostShown(Shown):
    host: str
    last_received_at: Moment


class SummaryShown(Shown):
    is_everything_delivered: bool = Field(description="Whether all reported bytes have arrived.")
    is_anything_missing: bool
    file_count: int
    host_count: int
    missing_file_count: int = Field(description="Files with missing bytes.")
    waiting_file_count: int = Field(description="Files whose end is in transit.")
    gap_count: int
    cut_off_count: int = Field(description="Files whose end can no longer arrive.")
    written_bytes: int
    delivered_bytes: int
    missing_bytes: int
    waiting_bytes: int
    repeated_bytes: int
    accepted_count: int
    rejected_count: int
    set_aside_count: int
    lag_ms_max: float
    missing_hosts: list[str] = Field(description="Hosts with missing bytes, most first.")
    silent_hosts: list[SilentHostShown] = Field(
        description=f"Active within two weeks (or the period, if longer), but {SILENT}."
    )


class OutcomeShown(Shown):
    outcome: str = Field(
        description="`value_out_of_bounds`, `other_page` and the like (stored as `(other)`), `too_old`, "
        "`erased`, `filtered` or `not_stored_yet`."
    )
    reason: str = Field(description="Kind of the inbound filter for `filtered`; otherwise empty.")
    item_count: int = Field(description="Number of items, or of values if the item is stored without them.")
    last_received_at: Moment
    item_types: Annotated[dict[str, int], BeforeValidator(dict)] = Field(
        description="The ten most frequent types of these items, counted."
    )


class OutcomeTable(BaseModel):
    outcomes: list[OutcomeShown]


class DiskShown(Shown):
    free_bytes: int = Field(validation_alias=AliasPath("space", "free_bytes"))
    total_bytes: int = Field(validation_alias=AliasPath("space", "total_bytes"))
    bound_bytes: int = Field(description="Deliveries are refused while less than this is free.")
    is_refusing: bool = Field(validation_alias="is_lacking")
    growth_bytes: int | None = Field(
        description="Growth per day over the last seven whole days; null until three "
        "have passed since the first delivery."
    )
    full_on: date | None = Field(
        description="First day on which deliveries will be refused; null: not within ten years, or unknown."
    )


class SetAsideShown(Shown):
    mart: str = Field(description="Warehouse table without these figures.")
    reason: str = Field(
        description="`recount_failed`, `out_of_memory`, `out_of_time`, `query_failed`, `program_failed`, "
        "`too_many_rows` or `too_many_releases`."
    )
    window_count: int = Field(description="Hours, days or weeks; 1 if the table has none.")
    first_window: Moment | None = Field(description="Null: everything in the table for the project.")
    last_window: Moment | None
    since: Moment
    next_attempt_at: Moment
    attempt_count: int = Field(description="Failed attempts.")


class DeliveryTable(BaseModel):
    set_aside: list[SetAsideShown] = Field(
        description="Figures that are out of date; the data is stored, and builds are retried."
    )
    summary: SummaryShown = Field(description="All files in the period, regardless of the page.")
    disk: DiskShown | None = Field(description="Disk of the service, for all projects; null if unknown.")
    delivery: list[FileShown]
    outcomes: list[OutcomeShown] = Field(
        description="Data accepted in the period but not stored as sent, from any host."
    )
    next_cursor: str | None


@router.get(
    "/api/projects/{slug}/delivery",
    operation_id="delivery",
    summary="List log files reported by hosts and what has arrived",
    dependencies=DECLARED,
    response_model=DeliveryTable,
    responses={**FAILURES, **FILES_TOO},
)
def delivery(
    slug: str,
    asking: CallerDependency,
    context: ContextDependency,
    period: PeriodParameter = Period("14d"),
    host: Host = "",
    service: Service = "",
    files: Files = "all",
    limit: LimitParameter = 50,
    cursor: CursorParameter = "",
    format: Format = "json",  # noqa: A002
) -> DeliveryTable | Response:
    """Files with missing bytes first, then newest first; whole days of log files. Downloads contain all
    files."""
    project = asking.project(context, slug)
    filters = Filters([project.id], period, datetime.now(UTC), host, service)
    if format != "json":
        listed = ledger.files(context.read, filters, MOST_FILE_ROWS, is_missing_only=files == "missing").files
        rows = [_file(row, filters.now) for row in listed]
        return table_file(format, f"{slug}-delivery", FileShown, rows, texts={"gaps": _ranges})
    page = ledger.files(context.read, filters, limit, cursor, files == "missing")
    summary = ledger.summary(ledger.hosts(context.read, filters), filters.now)
    disk = storage(context.read, context.settings.disk_bound, filters.now.date())
    set_aside = set_aside_of_projects(context.read, [project.id])
    return DeliveryTable(
        set_aside=[SetAsideShown.of(row) for row in set_aside],
        summary=SummaryShown.of(summary),
        disk=DiskShown.of(disk) if disk is not None else None,
        delivery=[_file(row, filters.now) for row in page.files],
        outcomes=[OutcomeShown.of(row) for row in ledger.outcomes(context.read, filters)],
        next_cursor=page.next_cursor,
    )


@router.get(
    "/api/projects/{slug}/delivery/hosts",
    operation_id="delivery_hosts",
    summary="List hosts that reported log files, with what has arrived",
    dependencies=DECLARED,
    response_model=HostTable,
    responses={**FAILURES, **FILES_TOO},
)
def delivery_hosts(
    slug: str,
    asking: CallerDependency,
    context: ContextDependency,
    period: PeriodParameter = Period("14d"),
    host: Host = "",
    service: Service = "",
    format: Format = "json",  # noqa: A002
) -> HostTable | Response:
    """Hosts with the most missing bytes first. Hosts that never reported aren't known."""
    project = asking.project(context, slug)
    filters = Filters([project.id], period, datetime.now(UTC), host, service)
    rows = [
        HostShown.of(row, is_silent=row.is_silent(filters.now)) for row in ledger.hosts(context.read, filters)
    ]
    if format != "json":
        return table_file(format, f"{slug}-hosts", HostShown, rows)
    return HostTable(hosts=rows)


@router.get(
    "/api/projects/{slug}/delivery/outcomes",
    operation_id="delivery_outcomes",
    summary="Count data accepted but not stored as sent",
    dependencies=DECLARED,
    response_model=OutcomeTable,
    responses={**FAILURES, **FILES_TOO},
)
def delivery_outcomes(
    slug: str,
    asking: CallerDependency,
    context: ContextDependency,
    period: PeriodParameter = Period("14d"),
    service: Service = "",
    format: Format = "json",  # noqa: A002
) -> OutcomeTable | Response:
    """From any host, most frequent first."""
    project = asking.project(context, slug)
    filters = Filters([project.id], period, datetime.now(UTC), service=service)
    rows = [OutcomeShown.of(row) for row in ledger.outcomes(context.read, filters)]
    if format != "json":
        return table_file(format, f"{slug}-outcomes", OutcomeShown, rows, texts={"item_types": _types})
    return OutcomeTable(outcomes=rows)


def _file(row: FileRow, now: datetime) -> FileShown:
    gaps = [RangeShown(from_byte=start, to_byte=end) for start, end in row.missing_ranges]
    return FileShown.of(row, state=row.state(now), gaps=gaps)


def _types(counts: Mapping[str, int]) -> str:
    return " ".join(f"{name}={count}" for name, count in counts.items())


def _ranges(gaps: Sequence[RangeShown]) -> str:
    return " ".join(f"{gap.from_byte}-{gap.to_byte}" for gap in gaps)
