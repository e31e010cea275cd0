"""Looks at a limit in every window of a span: the same for a page, a program, an alert and history."""

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from errata.budgets.limit import Limit
from errata.budgets.metric import Source
from errata.budgets.reason import Reason
from errata.budgets.state import OF_LATEST, Evaluation, State, doubt, outcome, states_of
from errata.performance.metric import LOAD, LOAD_AT_MOST, UNENDED, Unit
from errata.statistics.independent_samples import mean_at_least, percentile_at_least, ratio_at_least
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance.metric_over_time import (
    ENDPOINTS,
    PAGES,
    Measured,
    Windows,
    endpoint_metric_over_time,
    page_metric_over_time,
)
from errata.warehouse.queries.performance.unended import is_bounded

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
    largest = _at_most(warehouse, project_id, limit, Windows(first, until, limit.step, limit.window))
    return [_evaluation(limit, each, _value(limit, each), largest.get(each.at)) for each in measured]


def _evaluation(limit: Limit, measured: Measured, value: float | None, at_most: float | None) -> Evaluation:
    samples, count, least = measured.sample_count, int(measured.independent_count), limit.least_samples
    if value is None or count < least:
        at_most = None
    at_least = None if value is None else _at_least(limit, measured, value)
    word = outcome(value, count, limit.threshold, least, at_least, at_most)
    return Evaluation(
        measured.at,
        samples,
        count,
        value,
        word,
        doubt=doubt(value, samples, count, limit.threshold, least) if word is State.UNKNOWN else Reason.NONE,
        at_least=at_least,
        at_most=at_most,
        largest_ratio=measured.largest_ratio,
    )


def _at_least(limit: Limit, measured: Measured, value: float) -> float | None:
    """What the value is at least; None where samples were never possible."""
    size = measured.independent_count
    if limit.measured.unit is Unit.RATIO:
        return ratio_at_least(value, size)
    if limit.level:
        low = percentile_at_least(limit.level, value, measured.lower, size)
    else:
        low = mean_at_least(value, measured.square_sum / measured.sample_count, size)
    return low if math.isfinite(low) else None


def _at_most(warehouse: Warehouse, project_id: int, limit: Limit, windows: Windows) -> dict[datetime, float]:
    """Of windows with loads that had not ended when they were reported; infinite where nothing bounds it."""
    if limit.metric != LOAD:
        return {}
    unended = _of_pages(warehouse, project_id, limit, UNENDED, windows)
    counts = {each.at: each.sample_count for each in unended if each.sample_count}
    if not counts:
        return {}
    return {
        each.at: value if is_bounded(limit.level or 0, each.sample_count, counts[each.at]) else math.inf
        for each in _of_pages(warehouse, project_id, limit, LOAD_AT_MOST, windows)
        if each.at in counts and (value := _value(limit, each)) is not None
    }


def with_states(bare: Sequence[Evaluation]) -> list[Evaluation]:
    states = states_of([each.outcome for each in bare])
    return [replace(each, state=state) for each, state in zip(bare, states, strict=True)]


def _first_end(since: datetime, step: timedelta) -> datetime:
    seconds = step.total_seconds()
    return datetime.fromtimestamp((since.timestamp() // seconds + 1) * seconds, UTC)


def _measured(warehouse: Warehouse, project_id: int, limit: Limit, windows: Windows) -> list[Measured]:
    if limit.measured.is_of_pages:
        return _of_pages(warehouse, project_id, limit, limit.metric, windows)
    method, route = limit.method_and_route
    return endpoint_metric_over_time(
        warehouse,
        project_id,
        SIDES[limit.measured.source],
        limit.level or 0.5,
        windows,
        method=method,
        route=route,
        environment=limit.environment,
    )


def _of_pages(
    warehouse: Warehouse, project_id: int, limit: Limit, metric: str, windows: Windows
) -> list[Measured]:
    return page_metric_over_time(
        warehouse,
        project_id,
        metric,
        limit.level or 0.5,
        windows,
        page=limit.pattern,
        environment=limit.environment,
        device=limit.device,
    )


def _value(limit: Limit, measured: Measured) -> float | None:
    if not measured.sample_count:
        return None
    if limit.measured.unit is Unit.RATIO:
        return measured.error_count / measured.sample_count
    value = measured.percentile if limit.level else measured.value_sum / measured.sample_count
    # Sums and states of what was never possible can run over.
    return value if value is not None and math.isfinite(value) else None
