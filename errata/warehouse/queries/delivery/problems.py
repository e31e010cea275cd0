"""Hosts that fell silent, and what is refused at present."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from errata.period import Period
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.delivery.ledger import Filters, HostRow, hosts, summary
from errata.warehouse.queries.delivery.usage import (
    Refusal,
    present_refusals,
    refusals_of_hosts,
)

# As long as a silent host is known.
HEARD = Period("14d")


@dataclass(frozen=True, slots=True)
class DeliveryProblems:
    """`refused`: in the last minutes, each with the host that met it; empty where that is unknown."""

    silent_hosts: Sequence[HostRow]
    refused: Sequence[tuple[str, Refusal]]

    def __bool__(self) -> bool:
        return bool(self.silent_hosts or self.refused)


def delivery_problems(warehouse: Warehouse, projects: Sequence[int], now: datetime) -> DeliveryProblems:
    """Of projects of one organization, whose hosts have names of their own."""
    refusals = present_refusals(warehouse, projects, now)
    by_host = refusals_of_hosts(refusals)
    refused = [(host, one) for host, met in by_host.items() for one in met]
    refused += [("", one) for one in refusals if not one.hosts]
    return DeliveryProblems(silent_hosts(warehouse, projects, now), refused)


def silent_hosts(warehouse: Warehouse, projects: Sequence[int], now: datetime) -> Sequence[HostRow]:
    return summary(hosts(warehouse, Filters(projects, HEARD, now)), now).silent_hosts
