"""Looks at a limit in every window of a span: the same for a page, a program, an alert and history."""

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from errata.budgets.limit import Limit
from errata.budgets.metric import Source
from errata.budgets.state import OF_LATEST, Evaluation, outcome, states_of
from errata.performance.metric import Unit
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance.metric_over_time import (
    ENDPOINTS,
    PAGES,
    Measured,
    Windows,
    endpoint_metric_over_time,
    page_metric_over_time,
)

SIDES = {Source.SERVER: "server", Source.CALL: "page"}
# A state is what it was before until enough windows agree: so many more are looked at before the first.
WARM_UP = 3 * OF_LATEST


def mart_of(limit: Limit) -> str:
    return PAGES if limit.measured.is_of_pages else ENDPOINTS


def evaluations(
    warehouse: Warehouse, project_id: int, limit: Limit, since: datetime, until: datetime
) -> list[Evaluation]:
    """Of every window that ends after `since` and until `until`, and some before, whose states led there."""
    return with_states(outcomes(warehouse, project_id, limit, warmed_up(limit, since), until))


def warmed_up(limit: Limit, since: datetime) -> datetime:
    """From when on windows are looked at, so that what ends after `since` has its state."""
    return since - WARM_UP * limit.step


def outcomes(
    warehouse: Warehouse, project_id: int, limit: Limit, since: datetime, until: datetime
) -> list[Evaluation]:
    """Of every window that ends after `since` and until `until`, each alone."""
    first = _first_end(since, limit.step)
    if until < first:
        return []
    measured = _measured(warehouse, project_id, limit, Windows(first, until, limit.step, limit.window))
    values = [(each, _value(limit, each)) for each in measured]
    return [
        Evaluation(
            each.at,
            each.sample_count,
            value,
            outcome(value, each.sample_count, limit.threshold, limit.least_samples),
        )
        for each, value in values
    ]


def with_states(bare: Sequence[Evaluation]) -> list[Evaluation]:
    states = states_of([each.outcome for each in bare])
    return [replace(each, state=state) for each, state in zip(bare, states, strict=True)]


def _first_end(since: datetime, step: timedelta) -> datetime:
    seconds = step.total_seconds()
    return datetime.fromtimestamp((since.timestamp() // seconds + 1) * seconds, UTC)


def _measured(warehouse: Warehouse, project_id: int, limit: Limit, windows: Windows) -> list[Measured]:
    level = limit.level or 0.5
    if limit.measured.is_of_pages:
        return page_metric_over_time(
            warehouse,
            project_id,
            limit.metric,
            level,
            windows,
            page=limit.pattern,
            environment=limit.environment,
            device=limit.device,
        )
    method, route = limit.method_and_route
    return endpoint_metric_over_time(
        warehouse,
        project_id,
        SIDES[limit.measured.source],
        level,
        windows,
        method=method,
        route=route,
        environment=limit.environment,
    )


def _value(limit: Limit, measured: Measured) -> float | None:
    if not measured.sample_count:
        return None
    if limit.measured.unit is Unit.RATIO:
        return measured.error_count / measured.sample_count
    value = measured.percentile if limit.level else measured.value_sum / measured.sample_count
    # Sums and states of what was never possible can run over.
    return value if value is not None and math.isfinite(value) else None
