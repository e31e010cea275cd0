"""Builds what is due, here and now: for `errata build`, beside a running service or without one."""

from collections.abc import Iterator, Sequence

from errata.errors import InvalidParameter
from errata.warehouse.builds.build import build
from errata.warehouse.builds.lease import Pace
from errata.warehouse.builds.mart import BuildReport
from errata.warehouse.builds.marts import MARTS
from errata.warehouse.client import Warehouse


def build_due(
    warehouse: Warehouse, names: Sequence[str] = (), pace: Pace | None = None
) -> Iterator[BuildReport]:
    """Builds the marts named (none: all) and yields a report after each, sources first.

    A mart that somebody else builds just now is waited for, up to `pace.wait`: then LeaseHeld.
    """
    known = {mart.name for mart in MARTS}
    wanted = {name.removeprefix("errata_mart.").removeprefix("errata_mart/") for name in names}
    if wanted - known:
        listed = ", ".join(sorted(known))
        raise InvalidParameter("asset", f"{', '.join(sorted(wanted - known))} is none of {listed}")
    for mart in MARTS:
        if not wanted or mart.name in wanted:
            yield build(warehouse, mart, pace)
