"""Answers from days of a mart, to add to what came in since."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from errata.warehouse.client import Parameters, Row, Warehouse
from errata.warehouse.queries.progress import Progress

Through = Mapping[date, int]
"""The moment of receipt, in milliseconds, that each day is built through."""


class BuildsAway(Exception):
    """More came in than can be added to what was built: the warehouse counts both."""


@dataclass(frozen=True)
class Counted:
    rows: list[Row]
    as_of: datetime


def days_built(warehouse: Warehouse, statement: str, scope: Parameters) -> Through:
    return {row["built_day"]: row["through"] for row in warehouse.rows(statement, scope)}


def is_built(first_received: int, day: date, progress: Progress, through: Through) -> bool:
    """Whether a mart has what happened that day and was received then first."""
    complete = round(progress.complete(day).timestamp() * 1000)
    return first_received < max(complete, through.get(day, 0))
