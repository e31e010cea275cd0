"""What a budget can limit, an entry each."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from errata.errors import InvalidParameter


class Unit(StrEnum):
    MS = "ms"
    BYTES = "bytes"
    COUNT = "count"
    SCORE = "score"
    RATIO = "ratio"


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
        Metric("load_ms", "Total load time", Unit.MS),
        Metric("ttfb_ms", "TTFB", Unit.MS),
        Metric("dom_ready_ms", "DOM ready", Unit.MS),
        Metric("fp_ms", "FP", Unit.MS),
        Metric("fcp_ms", "FCP", Unit.MS),
        Metric("lcp_ms", "LCP", Unit.MS),
        Metric("cls", "CLS", Unit.SCORE),
        Metric("inp_ms", "INP", Unit.MS),
        Metric("resources_ms", "Resources time", Unit.MS),
        Metric("api_ms", "Page API time", Unit.MS),
        Metric("script_bytes", "JavaScript size", Unit.BYTES),
        Metric("style_bytes", "CSS size", Unit.BYTES),
        Metric("image_bytes", "Image size", Unit.BYTES),
        Metric("font_bytes", "Font size", Unit.BYTES),
        Metric("total_bytes", "Total size", Unit.BYTES),
        Metric("request_count", "Requests per page", Unit.COUNT),
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
