"""Builds every mart that is due, in this process: for `errata build`, beside a running service or without
one."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from errata.errors import InvalidParameter
from errata.warehouse.client import Warehouse
from errata.warehouse.disk import BUILDS_BOUND, Bound
from errata.warehouse.python_marts import PYTHON_MARTS
from pipelines.builder.build import build
from pipelines.builder.lease import Pace
from pipelines.builder.mart import BuildReport
from pipelines.marts.made_by_python import make, outcome_in_words
from pipelines.marts.registry import MARTS
from pipelines.people import People


def build_due(
    warehouse: Warehouse,
    names: Sequence[str] = (),
    pace: Pace | None = None,
    bound: Bound = BUILDS_BOUND,
    is_patient: bool = True,
    since: datetime | None = None,
) -> Iterator[BuildReport]:
    """Builds the SQL marts named (none: all), sources first, and yields a report after each. `since`: counts
    rows received from then on anew.

    A mart with another builder is waited for, up to `pace.wait`; then LeaseHeld.
    """
    wanted = _wanted(names)
    for mart in MARTS:
        if not wanted or mart.name in wanted:
            yield build(warehouse, mart, pace, bound, is_patient, since=since)


def make_due(
    warehouse: Warehouse,
    names: Sequence[str] = (),
    bound: Bound = BUILDS_BOUND,
    people: People | None = None,
) -> Iterator[str]:
    """Builds the Python-made marts named (none: all), and yields a line after each."""
    wanted = _wanted(names)
    for mart in PYTHON_MARTS:
        if not wanted or wanted & {table.partition(".")[2] for table in mart.tables}:
            yield outcome_in_words(mart, make(mart, warehouse, bound, people))


def _wanted(names: Sequence[str]) -> set[str]:
    """Names of marts without their database. Raises InvalidParameter for an unknown one."""
    made = {table.partition(".")[2] for mart in PYTHON_MARTS for table in mart.tables}
    known = {mart.name for mart in MARTS} | made
    wanted = {name.removeprefix("errata_mart.").removeprefix("errata_mart/") for name in names}
    if wanted - known:
        listed = ", ".join(sorted(known))
        raise InvalidParameter("asset", f"{', '.join(sorted(wanted - known))} is none of {listed}")
    return wanted
