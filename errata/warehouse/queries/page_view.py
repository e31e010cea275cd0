"""One page view, put together from its parts as the marts do it."""

import math
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple, Protocol
from uuid import UUID

from errata.warehouse.late_rows import PART_WAITS

PART_WAITS_MS = round(PART_WAITS.total_seconds() * 1000)
EPOCH_DAY = date(1970, 1, 1)
DAY_MS = 86_400_000
NO_TRACE = UUID(int=0)
Values = Mapping[str, list[float]]
"""By metric; `view` counts, with one value a view."""


class Part(NamedTuple):
    """As it was received. Moments are milliseconds; nan: not measured."""

    project_id: int
    item_id: UUID
    view_id: int
    trace_id: UUID
    is_load: bool
    occurred: int
    received: int
    navigation_type: str
    page: str
    environment: str
    release: str
    started_at_ms: float
    load_at_ms: float
    dom_ready_at_ms: float
    response_at_ms: float
    ttfb_ms: float
    fp_ms: float
    fcp_ms: float
    lcp_ms: float
    cls: float
    inp_ms: float
    resource_intervals: list[tuple[float, float]]
    call_ms: list[float]

    @property
    def day(self) -> date:
        return day_of(self.occurred)


class PartsOfViews(Protocol):
    def parts_of(self, view: "View") -> Iterable[Part]: ...


class View:
    """On one day. `load`: of that day's copies of the part that opens it the one received first among what is
    new."""

    __slots__ = ("_parts", "_values", "first_received", "load")

    def __init__(self, load: Part, parts: PartsOfViews) -> None:
        self.load = load
        self.first_received = load.received
        self._parts = parts
        self._values: Values | None = None

    @property
    def day(self) -> date:
        return self.load.day

    def received_also(self, copy: Part) -> None:
        if (copy.received, copy.started_at_ms) < (self.load.received, self.load.started_at_ms):
            self.load, self.first_received = copy, copy.received
        self.forget()

    def forget(self) -> None:
        """More came of it."""
        self._values = None

    @property
    def values(self) -> Values:
        if self._values is None:
            self._values = values_of(
                self.load, [part for part in self._parts.parts_of(self) if self._has(part)]
            )
        return self._values

    def _has(self, part: Part) -> bool:
        is_same_kind = part.navigation_type in ("", self.load.navigation_type)
        # What opens the view on another day is of that day.
        is_of_day = not part.is_load or part.day == self.day
        return is_same_kind and is_of_day and abs(part.received - self.load.received) <= PART_WAITS_MS


def values_of(load: Part, parts: list[Part]) -> Values:
    """Copies of a part say the same: of what is largest, last or covered they change nothing."""
    started = load.started_at_ms
    ttfb = _largest(part.ttfb_ms for part in parts)
    if math.isnan(ttfb):
        # The SDK leaves it out if the page was left before it had loaded; the first byte is known anyway.
        ttfb = _rounded(_largest(part.response_at_ms for part in parts) - started)
    painted = [(part.occurred, part.item_id, part.lcp_ms) for part in parts if not math.isnan(part.lcp_ms)]
    intervals = [interval for part in parts for interval in part.resource_intervals]
    calls = {(part.item_id, tuple(part.call_ms)) for part in parts if part.call_ms}
    measured = {
        "view": [0.0],
        "load_ms": [_rounded(_largest(part.load_at_ms for part in parts) - started)],
        "ttfb_ms": [ttfb],
        "dom_ready_ms": [_rounded(_largest(part.dom_ready_at_ms for part in parts) - started)],
        "fp_ms": [_largest(part.fp_ms for part in parts)],
        "fcp_ms": [_largest(part.fcp_ms for part in parts)],
        "lcp_ms": [max(painted)[2]] if painted else [],
        "cls": [_largest(part.cls for part in parts)],
        "inp_ms": [_largest(part.inp_ms for part in parts)],
        "resources_ms": [_rounded(_covered(intervals))] if intervals else [],
        "api_ms": [call for _, durations in calls for call in durations],
    }
    found = {
        metric: [value for value in values if math.isfinite(value)] for metric, values in measured.items()
    }
    return {metric: values for metric, values in found.items() if values}


def day_of(milliseconds: int) -> date:
    return EPOCH_DAY + timedelta(days=milliseconds // DAY_MS)


def moment_of(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def _largest(values: Iterable[float]) -> float:
    return max((value for value in values if not math.isnan(value)), default=math.nan)


def _covered(intervals: list[tuple[float, float]]) -> float:
    """The length of their union."""
    length, reached = 0.0, -math.inf
    for start, end in sorted(intervals):
        length += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return length


def _rounded(value: float) -> float:
    # As the warehouse does it, which gives the same value as `round` but at halves.
    return round(value * 1000) / 1000 if math.isfinite(value) else math.nan
