"""What a budget can limit: every metric of page loads, and those of calls."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from errata.errors import InvalidParameter
from errata.performance.metric import PAGE_METRICS, Unit


class Source(StrEnum):
    """Which rows a metric is told by: page loads, calls as servers answered them, calls as pages saw them."""

    PAGE = "page"
    SERVER = "server"
    CALL = "call"


@dataclass(frozen=True)
class Metric:
    name: str
    title: str
    unit: Unit
    source: Source = Source.PAGE

    @property
    def is_of_pages(self) -> bool:
        return self.source is Source.PAGE


METRICS: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        *(Metric(one.name, one.budget_title or one.title, one.unit) for one in PAGE_METRICS.values()),
        Metric("server_ms", "API time", Unit.MS, Source.SERVER),
        Metric("server_error_ratio", "API errors", Unit.RATIO, Source.SERVER),
        Metric("call_ms", "API time in browsers", Unit.MS, Source.CALL),
        Metric("call_error_ratio", "API errors in browsers", Unit.RATIO, Source.CALL),
    )
}


def metric_of(name: object) -> Metric:
    """Raises InvalidParameter."""
    if not isinstance(name, str) or name not in METRICS:
        raise InvalidParameter("metric", f"one of {', '.join(METRICS)}")
    return METRICS[name]
