"""Builds every mart that is due, in this process: for `errata build`, beside a running service or without
one."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from datetime import datetime
from importlib import import_module
from typing import Any

from errata.errors import InvalidParameter
from errata.state.budgets import Budget
from errata.warehouse.client import Warehouse
from errata.warehouse.disk import BUILDS_BOUND, Bound, require, space_of
from errata.warehouse.python_marts import PYTHON_MARTS, PythonMart
from pipelines.builder.build import build
from pipelines.builder.lease import Pace
from pipelines.builder.mart import BuildReport
from pipelines.marts.registry import MARTS

Budgets = Sequence[tuple[int, Budget]]
"""Pairs of a project's id and a budget."""


def build_due(
    warehouse: Warehouse,
    names: Sequence[str] = (),
    pace: Pace | None = None,
    bound: Bound = BUILDS_BOUND,
    is_patient: bool = True,
) -> Iterator[BuildReport]:
    """Builds the SQL marts named (none: all), sources first, and yields a report after each.

    A mart with another builder is waited for, up to `pace.wait`; then LeaseHeld.
    """
    wanted = _wanted(names)
    for mart in MARTS:
        if not wanted or mart.name in wanted:
            yield build(warehouse, mart, pace, bound, is_patient)


def make_due(
    warehouse: Warehouse,
    names: Sequence[str] = (),
    bound: Bound = BUILDS_BOUND,
    budgets: Callable[[], Budgets] = list,
) -> Iterator[str]:
    """Builds the Python-made marts named (none: all), and yields a line after each."""
    wanted = _wanted(names)
    for mart in PYTHON_MARTS:
        if not wanted or wanted & {table.partition(".")[2] for table in mart.tables}:
            yield make_with_python(mart, warehouse, bound, budgets)


def make_with_python(
    mart: PythonMart,
    warehouse: Warehouse,
    bound: Bound = BUILDS_BOUND,
    budgets: Callable[[], Budgets] = list,
) -> str:
    """Brings the mart up to date and returns the outcome in words. Raises DiskFull where too little is
    free."""
    require(space_of(warehouse), bound)
    given = (budgets(),) if mart.reads_budgets else ()
    done = getattr(import_module(mart.module), mart.function)(warehouse, *given)
    runs = list(done) if isinstance(done, Iterator) else [done]
    return f"{mart.name}: {'; '.join(map(_words, runs)) or 'nothing was due'}"


def _wanted(names: Sequence[str]) -> set[str]:
    """Names of marts without their database. Raises InvalidParameter for an unknown one."""
    made = {table.partition(".")[2] for mart in PYTHON_MARTS for table in mart.tables}
    known = {mart.name for mart in MARTS} | made
    wanted = {name.removeprefix("errata_mart.").removeprefix("errata_mart/") for name in names}
    if wanted - known:
        listed = ", ".join(sorted(known))
        raise InvalidParameter("asset", f"{', '.join(sorted(wanted - known))} is none of {listed}")
    return wanted


def _words(done: Any) -> str:
    """The outcome of a run in words: its counts, its watermark, its duration."""
    values = {field.name: getattr(done, field.name) for field in fields(done)}
    counts = [
        f"{value} {name.removesuffix('_count').replace('_', ' ')}"
        for name, value in values.items()
        if isinstance(value, int) and not isinstance(value, bool)
    ]
    through = [
        f"through {value:%Y-%m-%d %H:%M:%S}" for value in values.values() if isinstance(value, datetime)
    ]
    return ", ".join([*counts, *through, f"{values['seconds']:.1f} s"])
