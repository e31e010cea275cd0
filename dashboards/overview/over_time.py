"""The figures of the overview over time, and the traffic and errors behind them: of the page alone."""

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from api.overview_figures import CRASH_FREE, VITALS
from errata.performance.filters import Filters
from errata.warehouse.at_once import Parts
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issues.events_over_time import events_over_time
from errata.warehouse.queries.performance import page_views
from errata.warehouse.queries.performance.crash_free import crash_free_over_time
from errata.warehouse.queries.performance.endpoint_detail import steps_of_all
from errata.warehouse.queries.performance.release_starts import deploys


@dataclass(frozen=True)
class Traffic:
    """Counts by step of the range's trend, the oldest first, and when releases began."""

    starts: Sequence[datetime]
    loads: Sequence[int]
    calls: Sequence[int]
    events: Sequence[int]
    deploys: Sequence[tuple[datetime, str]]


class OverTime:
    """Each part waits for its own answer alone."""

    def __init__(self, warehouse: Warehouse, project_id: int, filters: Filters) -> None:
        self.range = filters.range
        ask = Parts().ask
        # In the order in which the page shows them.
        self._crash_steps = ask(lambda: crash_free_over_time(warehouse, project_id, filters))
        self._vitals = ask(lambda: page_views.vitals_over_time(warehouse, filters, VITALS))
        self._call_steps = ask(lambda: steps_of_all(warehouse, filters))
        self._events = ask(lambda: events_over_time(warehouse, project_id, self.range, filters.environment))
        self._deploys = ask(
            lambda: deploys(warehouse, [project_id], self.range.trend_since, filters.environment)
        )

    @property
    def parts(self) -> Sequence[Future[Any]]:
        """What is being asked."""
        return [one for one in vars(self).values() if isinstance(one, Future)]

    def of(self, name: str) -> list[float | None]:
        """The figure of this name by step of the range's trend; None where nothing was measured."""
        return [self._at(name, start) for start in self.range.trend_starts()]

    def _at(self, name: str, start: datetime) -> float | None:
        if name in CRASH_FREE:
            crashes = self._crash_steps.result().get(start)
            return getattr(crashes, name) if crashes else None
        if name in VITALS:
            return page_views.known_percentiles(self._vitals.result().get(start, {}).get(name)).p75
        calls = self._call_steps.result().get(start)
        return (calls.p95_ms if name == "server_ms" else calls.error_ratio) if calls else None

    @property
    def traffic(self) -> Traffic:
        loads, calls, events = self._vitals.result(), self._call_steps.result(), self._events.result()
        starts = self.range.trend_starts([*loads, *calls, *events])
        return Traffic(
            starts,
            [loads[at]["view"]["sample_count"] if at in loads else 0 for at in starts],
            [calls[at].call_count if at in calls else 0 for at in starts],
            [events.get(at, 0) for at in starts],
            self._deploys.result(),
        )
