"""Builds what is due, here and now: for `errata build`, beside a running service or without one."""

from collections.abc import Iterator, Sequence

from errata.errors import InvalidParameter
from errata.warehouse.builds.build import build
from errata.warehouse.builds.lease import Pace
from errata.warehouse.builds.made_by_python import MADE_BY_PYTHON
from errata.warehouse.builds.mart import BuildReport
from errata.warehouse.builds.marts import MARTS
from errata.warehouse.client import Warehouse
from errata.warehouse.disk import BUILDS_BOUND, Bound


def build_due(
    warehouse: Warehouse,
    names: Sequence[str] = (),
    pace: Pace | None = None,
    bound: Bound = BUILDS_BOUND,
) -> Iterator[BuildReport]:
    """Builds the marts of SQL named (none: all) and yields a report after each, sources first.

    A mart that somebody else builds just now is waited for, up to `pace.wait`: then LeaseHeld.
    """
    wanted = _wanted(names)
    for mart in MARTS:
        if not wanted or mart.name in wanted:
            yield build(warehouse, mart, pace, bound)


def make_due(warehouse: Warehouse, names: Sequence[str] = (), bound: Bound = BUILDS_BOUND) -> Iterator[str]:
    """The same of marts that Python makes: a line after each."""
    wanted = _wanted(names)
    for mart in MADE_BY_PYTHON:
        if not wanted or wanted & {table.partition(".")[2] for table in mart.tables}:
            yield mart.make(warehouse, bound)


def _wanted(names: Sequence[str]) -> set[str]:
    """Raises InvalidParameter."""
    made = {table.partition(".")[2] for mart in MADE_BY_PYTHON for table in mart.tables}
    known = {mart.name for mart in MARTS} | made
    wanted = {name.removeprefix("errata_mart.").removeprefix("errata_mart/") for name in names}
    if wanted - known:
        listed = ", ".join(sorted(known))
        raise InvalidParameter("asset", f"{', '.join(sorted(wanted - known))} is none of {listed}")
    return wanted
