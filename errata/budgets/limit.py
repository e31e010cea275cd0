"""What a budget says: a figure, of which pages or endpoints, over which window, and how much is too much."""

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from errata.budgets.metric import Metric, metric_of
from errata.errors import InvalidParameter
from errata.one_line import is_one_line
from errata.performance.metric import Unit
from errata.warehouse.queries.performance.metric_over_time import OF_ENDPOINTS, OF_PAGES

# How often a window is looked at, by its length: never more than 28 steps to a window.
STEP_HOURS: Mapping[int, int] = {1: 1, 6: 1, 24: 1, 168: 6, 672: 24}
WINDOWS: Mapping[int, str] = {1: "hour", 6: "6 hours", 24: "24 hours", 168: "7 days", 672: "28 days"}
STATISTICS = ("p50", "p75", "p90", "p95", "p99", "mean")
PERCENTILE = re.compile(r"p([1-9][0-9]?)", re.ASCII)
ENDPOINT = re.compile(r"([A-Z]{3,10}) +(\S.*)", re.ASCII)
DEVICES = ("desktop", "mobile", "tablet")
LARGEST = 1e12
# With fewer independent samples a percentile has hardly a bound.
LEAST_SAMPLES = 10
MOST_SAMPLES = 1_000_000
LONGEST_PATTERN = 200


@dataclass(frozen=True)
class Limit:
    """`pattern` is of pages or of endpoints, `*` standing for anything; empty words mean all."""

    metric: str
    statistic: str
    threshold: float
    pattern: str = ""
    environment: str = ""
    device: str = ""
    window_hours: int = 24
    least_samples: int = LEAST_SAMPLES

    @property
    def measured(self) -> Metric:
        return metric_of(self.metric)

    @property
    def level(self) -> float | None:
        """Of the percentile; None: the mean, of errors their share."""
        match = PERCENTILE.fullmatch(self.statistic)
        return int(match[1]) / 100 if match else None

    @property
    def step(self) -> timedelta:
        return timedelta(hours=STEP_HOURS[self.window_hours])

    @property
    def window(self) -> timedelta:
        return timedelta(hours=self.window_hours)

    @property
    def method_and_route(self) -> tuple[str, str]:
        """Of a pattern of endpoints; the method is empty where none is named."""
        match = ENDPOINT.fullmatch(self.pattern)
        return (match[1], match[2]) if match else ("", self.pattern)

    @property
    def question(self) -> str:
        """The query that measures it over time."""
        return OF_PAGES if self.measured.is_of_pages else OF_ENDPOINTS

    def as_condition(self) -> dict[str, Any]:
        return asdict(self)


def limit_of(given: Mapping[str, Any]) -> Limit:
    """The limit as it is to be kept; raises InvalidParameter."""
    names = Limit.__dataclass_fields__
    if unknown := set(given) - set(names):
        raise InvalidParameter(min(unknown), "unknown field")
    metric = metric_of(given.get("metric"))
    limit = Limit(
        metric.name,
        _statistic(given.get("statistic"), metric),
        _threshold(given.get("threshold"), metric),
        _words(given, "pattern", LONGEST_PATTERN),
        _words(given, "environment", 64),
        _device(_words(given, "device", 16), metric),
        _whole(given, "window_hours", 24),
        _whole(given, "least_samples", LEAST_SAMPLES),
    )
    if limit.window_hours not in STEP_HOURS:
        raise InvalidParameter("window_hours", f"one of {', '.join(map(str, STEP_HOURS))}")
    if not 1 <= limit.least_samples <= MOST_SAMPLES:
        raise InvalidParameter("least_samples", f"1 to {MOST_SAMPLES:,}")
    return limit


def _statistic(given: Any, metric: Metric) -> str:
    if metric.unit is Unit.RATIO:
        if given not in (None, "", "ratio"):
            raise InvalidParameter("statistic", f"leave it out; {metric.name} is a ratio")
        return "ratio"
    statistic = given or "p75"
    if not isinstance(statistic, str) or not (statistic == "mean" or PERCENTILE.fullmatch(statistic)):
        raise InvalidParameter("statistic", "mean or a percentile from p1 to p99")
    return statistic


def _threshold(given: Any, metric: Metric) -> float:
    most = 1.0 if metric.unit is Unit.RATIO else LARGEST
    is_number = isinstance(given, int | float) and not isinstance(given, bool) and math.isfinite(given)
    if not is_number or not 0 <= given <= most:
        raise InvalidParameter("threshold", f"a number from 0 to {most:,.0f}, in {metric.unit.value}")
    return float(given)


def _device(device: str, metric: Metric) -> str:
    if device and not metric.is_of_pages:
        raise InvalidParameter("device", f"{metric.name} isn't measured by device")
    if device and device not in DEVICES:
        raise InvalidParameter("device", f"one of {', '.join(DEVICES)}, or empty")
    return device


def _words(given: Mapping[str, Any], name: str, longest: int) -> str:
    value = given.get(name) or ""
    if not isinstance(value, str) or len(value.strip()) > longest or not is_one_line(value.strip()):
        raise InvalidParameter(name, f"at most {longest} characters on one line")
    return value.strip()


def _whole(given: Mapping[str, Any], name: str, default: int) -> int:
    value = given.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidParameter(name, "a whole number")
    return value
