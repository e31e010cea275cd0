"""The functions of marts made by Python, for builds by schedule and by hand alike.

A function's module is imported when it runs: a process that builds SQL alone loads no numpy.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from errata.warehouse import python_marts
from errata.warehouse.client import Warehouse
from errata.warehouse.disk import BUILDS_BOUND, Bound, require, space_of
from errata.warehouse.python_marts import PythonMart
from pipelines.people import People

if TYPE_CHECKING:
    from pipelines.marts import budget_status, change_points, regrouping_proposals, release_impact
    from pipelines.marts import similar_issues as similar


class Outcome(Protocol):
    """A dataclass with the counts, the watermark and the duration of a run."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


def make(
    mart: PythonMart, warehouse: Warehouse, bound: Bound = BUILDS_BOUND, people: People | None = None
) -> Outcome:
    """Brings the mart up to date, and returns the outcome. Raises DiskFull where too little is free, and
    LeaseHeld if another build of the mart outlasts the wait."""
    require(space_of(warehouse), bound)
    return MAKERS[mart](warehouse, people or People())


def outcome_in_words(mart: PythonMart, done: Outcome) -> str:
    """The counts of a run, its watermark, its duration."""
    values: dict[str, Any] = {field.name: getattr(done, field.name) for field in fields(done)}
    counts = [
        f"{value} {name.removesuffix('_count').replace('_', ' ')}"
        for name, value in values.items()
        if isinstance(value, int)
    ]
    through = [
        f"through {value:%Y-%m-%d %H:%M:%S}" for value in values.values() if isinstance(value, datetime)
    ]
    said = ", ".join([*counts, *through])
    return f"{mart.name}: {said}, {values['seconds']:.1f} s"


def _similar_issues(warehouse: Warehouse, people: People) -> "similar.Comparison":
    from pipelines.marts.similar_issues import compare

    return compare(warehouse)


def _regrouping_proposals(warehouse: Warehouse, people: People) -> "regrouping_proposals.Proposals":
    from pipelines.marts.regrouping_proposals import Proposals, propose

    return Proposals.of(list(propose(warehouse)))


def _releases(warehouse: Warehouse, people: People) -> "release_impact.Judging":
    from pipelines.marts.release_impact import judge_releases

    return judge_releases(warehouse)


def _change_points(warehouse: Warehouse, people: People) -> "change_points.Searched":
    from pipelines.marts.change_points import find_change_points

    return find_change_points(warehouse, holidays=people.holidays())


def _budget_status(warehouse: Warehouse, people: People) -> "budget_status.Judged":
    from pipelines.marts.budget_status import judge_budgets

    return judge_budgets(warehouse, people.budgets())


MAKERS: Mapping[PythonMart, Callable[[Warehouse, People], Outcome]] = {
    python_marts.SIMILAR_ISSUES: _similar_issues,
    python_marts.REGROUPING_PROPOSALS: _regrouping_proposals,
    python_marts.RELEASES: _releases,
    python_marts.CHANGE_POINTS: _change_points,
    python_marts.BUDGET_STATUS: _budget_status,
}
