"""What an alert rule of a budget fires for: breached, and kept again."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from errata.budgets.evaluation import evaluations
from errata.budgets.limit import Limit, limit_of
from errata.budgets.state import Crossing, Evaluation, State, crossings
from errata.budgets.wording import crossing_sentence, independent, scope
from errata.state.alerts.firings import Found
from errata.warehouse.client import Warehouse


def found_between(
    warehouse: Warehouse,
    project_id: int,
    condition: Mapping[str, Any],
    since: datetime,
    until: datetime,
    last: State | None = None,
) -> list[Found]:
    """Crossings of windows that end after `since`. `last`: the state last reported; None: the state at
    `since`."""
    limit = limit_of(condition)
    return found_in(limit, evaluations(warehouse, project_id, limit, since, until), since, last)


def found_in(
    limit: Limit, looked_at: Sequence[Evaluation], since: datetime, last: State | None = None
) -> list[Found]:
    return [_found(limit, each) for each in crossings(looked_at, since, last)]


def _found(limit: Limit, crossing: Crossing) -> Found:
    return Found(
        "",
        f"{crossing.state}:{crossing.at:%Y-%m-%dT%H}",
        crossing.at,
        crossing.sample_count,
        crossing_sentence(limit, crossing.state, crossing.value),
        f"{scope(limit)}: {independent(crossing)}",
        crossing.state.value,
        crossing.value,
    )
