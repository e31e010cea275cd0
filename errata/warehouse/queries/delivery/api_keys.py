"""The API keys that hosts deliver with."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby

from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.typed_rows import typed

# A host that has been silent for longer is unlikely to deliver again.
HEARD_WITHIN = timedelta(days=14)


@dataclass(frozen=True, slots=True)
class KeyOfHost:
    """All of the latest delivery. `host` is empty for deliveries that name none, `shipper_version` for those
    of other clients; `lag_ms` is None where the lines have no time of writing."""

    host: str
    key_prefix: str
    last_received_at: datetime
    shipper_version: str = ""
    lag_ms: float | None = None


def _place(row: Row) -> tuple[str, float]:
    """By host, the latest first."""
    return str(row["host"]), -row["last_received_at"].timestamp()


def keys_of_hosts(
    warehouse: Warehouse, projects: Sequence[int], now: datetime, moments: Collection[datetime] = ()
) -> list[KeyOfHost]:
    """The key that each host last delivered with, by host. `moments`: of these deliveries, where they are
    known: nothing else is read."""
    since = min(moments, default=now - HEARD_WITHIN)
    rows = warehouse.rows(
        sql.query("api_keys_of_hosts"), {"projects": list(projects), "since": since, "moments": list(moments)}
    )
    return [
        typed(KeyOfHost, latest, key_prefix=latest["api_key_prefix"])
        for _, (latest, *_) in groupby(sorted(rows, key=_place), key=lambda row: str(row["host"]))
    ]
