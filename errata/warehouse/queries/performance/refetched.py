"""Files that users fetched again although they already had them."""

from dataclasses import dataclass
from datetime import datetime

from errata.clock import utc
from errata.performance.filters import Filters
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse

# Beyond this many loads only the last are read: a user's loads lie close together.
LAST_LOADS = 20_000


@dataclass(frozen=True, slots=True)
class RefetchedFile:
    """`spared_count`: repeats from the cache, or revalidated (304)."""

    url: str
    load_count: int
    user_count: int
    spared_count: int
    bytes_p75: float
    gap_ms: float
    """The median time since the same user last fetched it."""
    view_id: str
    received_at: datetime


@dataclass(frozen=True, slots=True)
class Refetched:
    """`one_of` 4: the files are of the last quarter of the period."""

    files: list[RefetchedFile]
    one_of: float = 1.0


def refetched_files(
    warehouse: Warehouse, filters: Filters, load_count: int, fewest: int, most: int = LAST_LOADS
) -> Refetched:
    """Refetched files. Only identified users are known to have a file already."""
    chosen = filters.range
    since, end = chosen.since, chosen.shown_until
    one_of = max(1.0, load_count / most)
    rows = warehouse.rows(
        sql.query("refetched_files"),
        {
            **filters.parameters,
            "since": end - (end - since) / one_of,
            "until": chosen.until,
            "fewest": fewest,
        },
    )
    return Refetched([_file(row) for row in rows], one_of)


def _file(row: Row) -> RefetchedFile:
    return RefetchedFile(
        url=row["file_url"],
        load_count=row["again"],
        user_count=row["users"],
        spared_count=row["spared"],
        bytes_p75=row["bytes_p75"],
        gap_ms=row["gap_ms"],
        view_id=f"{row['example_view']:016x}",
        received_at=utc(row["example_arrived_at"]),
    )
