"""Answers from days of a mart, each of the version that counts, to add to what came in since."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime

from errata.warehouse.client import Parameters, Row, Warehouse
from errata.warehouse.queries.progress import Progress
from errata.warehouse.queries.steady import SWAPS_END_WITHIN_SECONDS

Through = Mapping[date, int]
"""The moment of receipt, in milliseconds, that each day is built through."""


class BuildsAway(Exception):
    """More came in than can be added to what was built: the warehouse counts both."""


@dataclass(frozen=True)
class Counted:
    rows: list[Row]
    as_of: datetime


def steady_days(
    warehouse: Warehouse, question: str, parameters: Parameters, days_built: str, scope: Parameters
) -> tuple[list[Row], Through]:
    """The answer and the days it is of; asked again if a build swapped days in meanwhile."""
    deadline = time.monotonic() + SWAPS_END_WITHIN_SECONDS
    through = _through(warehouse, days_built, scope)
    while True:
        moments = [datetime.fromtimestamp(moment / 1000, UTC) for moment in through.values()]
        rows = warehouse.rows(question, {**parameters, "days": list(through), "through": moments})
        through, used = _through(warehouse, days_built, scope), through
        if through == used or time.monotonic() > deadline:
            return rows, used


def is_built(first_received: int, day: date, progress: Progress, through: Through) -> bool:
    """Whether a mart has what happened that day and was received then first."""
    complete = round(progress.complete(day).timestamp() * 1000)
    return first_received < max(complete, through.get(day, 0))


def _through(warehouse: Warehouse, days_built: str, scope: Parameters) -> Through:
    return {row["built_day"]: row["through"] for row in warehouse.rows(days_built, scope)}
