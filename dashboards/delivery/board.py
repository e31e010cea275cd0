"""The board of hosts: when each was last seen, by which key and shipper, and what is refused."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from dashboards.shared.delivery_verdict import REASON_WORDS, HostVerdict, host_verdict
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.delivery.api_keys import KeyOfHost, keys_of_hosts
from errata.warehouse.queries.delivery.ledger import Filters, HostRow
from errata.warehouse.queries.delivery.usage import Refusal, refusals_of_hosts

HOSTS_SHOWN = 25
# The worst first.
KINDS = ("bad", "waiting", "quiet", "good")


@dataclass(frozen=True, slots=True)
class ShownHost:
    """`row` is None of a host of which everything was refused; `latest`: what its last delivery tells."""

    name: str
    row: HostRow | None
    verdict: HostVerdict
    refused: Sequence[Refusal]
    latest: KeyOfHost | None = None

    @property
    def refusals(self) -> Mapping[str, int]:
        """Counts by reason in words."""
        counts: dict[str, int] = {}
        for one in self.refused:
            words = REASON_WORDS.get(one.reason, (one.reason, ""))[0]
            counts[words] = counts.get(words, 0) + one.refused_count
        return counts


@dataclass(frozen=True, slots=True)
class Board:
    hosts: Sequence[ShownHost]
    """Those that are shown."""
    host_count: int


def board(
    warehouse: Warehouse, filters: Filters, rows: Sequence[HostRow], refused: Sequence[Refusal]
) -> Board:
    """`refused`: at present."""
    now = filters.now
    by_host = refusals_of_hosts(refused)
    hosts = [_shown(row.host, row, by_host.get(row.host, ()), now) for row in rows]
    if not filters.service:
        others = by_host.keys() - {row.host for row in rows}
        hosts += [_shown(name, None, by_host[name], now) for name in others if filters.host in ("", name)]
    shown = sorted(hosts, key=_order)[:HOSTS_SHOWN]
    latest = _latest(warehouse, filters, shown)
    return Board([replace(host, latest=latest.get(host.name)) for host in shown], len(hosts))


def _shown(name: str, row: HostRow | None, refused: Sequence[Refusal], now: datetime) -> ShownHost:
    return ShownHost(name, row, host_verdict(row, bool(refused), now), refused)


def _order(host: ShownHost) -> tuple[int, bool, str]:
    return KINDS.index(host.verdict.kind), not (host.row and host.row.missing_bytes), host.name


def _latest(warehouse: Warehouse, filters: Filters, shown: Sequence[ShownHost]) -> Mapping[str, KeyOfHost]:
    moments = {host.row.last_received_at for host in shown if host.row}
    if not moments:
        return {}
    found = keys_of_hosts(warehouse, filters.projects, filters.now, moments)
    return {one.host: one for one in found}
