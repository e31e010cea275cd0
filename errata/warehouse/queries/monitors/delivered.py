"""Until when everything is known that hosts wrote: a run isn't missed while its host may still tell of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from errata.clock import EPOCH, utc
from errata.warehouse import sql
from errata.warehouse.client import Warehouse

LOOKED_BACK = timedelta(days=14)
# Deliveries of several files of one host arrive one after the other.
SETTLED_AFTER = timedelta(seconds=15)
# A host without deliveries for so long runs no jobs for others.
HEARD_WITHIN = timedelta(days=1)


@dataclass(frozen=True)
class Delivered:
    """By host: the moment through which it has delivered, and of its last delivery."""

    now: datetime
    hosts: Mapping[str, tuple[datetime, datetime]]

    def known_through(self, hosts: Sequence[str]) -> datetime:
        """The last host always counts, others of those that may run the job next while they deliver. What
        names no host was sent by the job itself, as it ran."""
        heard_since = self.now - HEARD_WITHIN
        others = {host for host in hosts[:-1] if self._of(host)[1] >= heard_since}
        return min(self._of(host)[0] for host in {*others, *hosts[-1:]})

    def _of(self, host: str) -> tuple[datetime, datetime]:
        return self.hosts.get(host, (EPOCH, EPOCH)) if host else (self.now, self.now)


def delivered_by(
    warehouse: Warehouse, project_ids: Iterable[int], hosts: Iterable[str], now: datetime
) -> Delivered:
    """By batches of the keys of these projects: a host sends items of several in one."""
    named = sorted({host for host in hosts if host})
    if not named:
        return Delivered(now, {})
    parameters = {
        "projects": sorted(set(project_ids)),
        "hosts": named,
        "since": now - LOOKED_BACK,
        "until": now - SETTLED_AFTER,
    }
    rows = warehouse.rows(sql.query("hosts_delivered_through"), parameters)
    return Delivered(
        now,
        {row["host"]: (utc(row["delivered_through"]), utc(row["last_received_at"])) for row in rows},
    )
