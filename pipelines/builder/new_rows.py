"""The search for rows that marts lack, made every few seconds."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from pipelines.builder.lease import Pace
from pipelines.builder.mart import Mart
from pipelines.marts.registry import MARTS


@dataclass(frozen=True)
class Behind:
    """`since`: rows received before it are in the marts; `until`: rows received before it could be.
    `first_at`: receipt of the first missing row; None: there is none. `is_at_rest`: nothing came since then
    that any mart counts."""

    since: datetime
    until: datetime
    first_at: datetime | None
    is_at_rest: bool

    @property
    def span(self) -> timedelta:
        return self.until - self.since

    @property
    def has_rows(self) -> bool:
        """True if there are rows that a build would count."""
        return self.first_at is not None and self.first_at < self.until


def behind(warehouse: Warehouse, marts: Sequence[Mart], lag: timedelta = Pace.lag) -> Behind:
    """The state of the mart furthest behind, over every raw table that these marts are built from."""
    parameters = {
        "marts": [mart.name for mart in marts],
        "raw": sorted({mart.raw for mart in marts if mart.raw}),
        "all_raw": sorted({mart.raw for mart in MARTS if mart.raw}),
    }
    (row,) = warehouse.rows(sql.build_statement("new_rows"), parameters)
    first_at = utc(row["first_at"]) if row["first_at"] else None
    return Behind(utc(row["since"]), utc(row["now"]) - lag, first_at, bool(row["is_at_rest"]))
