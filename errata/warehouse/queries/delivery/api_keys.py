"""The API keys that hosts deliver with."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.client import Warehouse

# A host that has been silent for longer is unlikely to deliver again.
HEARD_WITHIN = timedelta(days=14)


@dataclass(frozen=True, slots=True)
class KeyOfHost:
    """`host` is empty for deliveries that name none. `key_prefix` is of the latest delivery."""

    host: str
    key_prefix: str
    last_received_at: datetime
    batch_count: int
    """Batches with this key."""


def keys_of_hosts(warehouse: Warehouse, projects: Sequence[int], now: datetime) -> list[KeyOfHost]:
    """The key that each host last delivered with, by host."""
    rows = warehouse.rows(
        sql.query("api_keys_of_hosts"), {"projects": list(projects), "since": now - HEARD_WITHIN}
    )
    return [
        KeyOfHost(host, latest["api_key_prefix"], utc(latest["last_received_at"]), int(latest["batch_count"]))
        for host, (latest, *_) in groupby(rows, key=lambda row: str(row["host"]))
    ]
