"""The fields of a limit, in the units people read."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from dashboards.shared.form import Form
from errata.budgets.limit import DEVICES, STATISTICS, WINDOWS, Limit, limit_of
from errata.budgets.metric import METRICS, Metric, metric_of
from errata.errors import InvalidParameter
from errata.performance.filters import Filters
from errata.performance.metric import Unit
from errata.period import Period
from errata.warehouse.at_once import both
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance.facets import facets
from errata.warehouse.queries.performance.page_detail import page_names

OFFERED_PERIOD = Period("30d")
# One of what is typed is so many of what is kept.
SCALE: Mapping[Unit, float] = {Unit.BYTES: 1000, Unit.RATIO: 0.01}
TYPED_IN: Mapping[Unit, str] = {
    Unit.MS: "ms",
    Unit.BYTES: "KB",
    Unit.RATIO: "%",
    Unit.COUNT: "",
    Unit.SCORE: "",
}
# By whether it is of pages, and its unit.
GROUPS: Mapping[str, tuple[bool, tuple[Unit, ...]]] = {
    "Page loads, ms": (True, (Unit.MS,)),
    "Page loads, without a unit": (True, (Unit.SCORE, Unit.COUNT)),
    "Sizes, KB": (True, (Unit.BYTES,)),
    "API, ms": (False, (Unit.MS,)),
    "API, %": (False, (Unit.RATIO,)),
}


@dataclass(frozen=True)
class Choices:
    """The choices of the fields; pages and environments are those of the last 30 days."""

    pages: Sequence[str] = ()
    environments: Sequence[str] = ()
    groups: Mapping[str, list[Metric]] = field(
        default_factory=lambda: {words: _group(*kind) for words, kind in GROUPS.items()}
    )
    statistics: tuple[str, ...] = STATISTICS
    windows: Mapping[int, str] = field(default_factory=lambda: WINDOWS)
    devices: tuple[str, ...] = DEVICES


def _group(is_of_pages: bool, units: Sequence[Unit]) -> list[Metric]:
    return [one for one in METRICS.values() if one.is_of_pages is is_of_pages and one.unit in units]


def choices_of(warehouse: Warehouse, project_id: int, now: datetime) -> Choices:
    filters = Filters([project_id], OFFERED_PERIOD, now)
    pages, offered = both(
        lambda: page_names(warehouse, filters),
        lambda: facets(warehouse, filters.projects, filters.range.since),
    )
    return Choices(pages, offered.environments)


@dataclass(frozen=True)
class LimitFields:
    """The fields of the form; an empty threshold asks for a suggestion."""

    metric: str = "load_ms"
    statistic: str = "p75"
    threshold: str = ""
    pattern: str = ""
    environment: str = ""
    device: str = ""
    window_hours: str = "24"
    least_samples: str = "50"

    @classmethod
    def from_limit(cls, limit: Limit) -> "LimitFields":
        return cls(
            limit.metric,
            limit.statistic,
            written(limit.threshold, limit.measured.unit),
            limit.pattern,
            limit.environment,
            limit.device,
            str(limit.window_hours),
            str(limit.least_samples),
        )

    @classmethod
    def from_form(cls, form: Form) -> "LimitFields":
        return cls(**{one.name: form[one.name] for one in fields(cls)})

    @classmethod
    def from_query(cls, parameters: Mapping[str, str]) -> "LimitFields":
        """The fields of an address, the usual ones where it names none."""
        names = {one.name for one in fields(cls)}
        return cls(**{name: value for name, value in parameters.items() if name in names and value})


def limit_from(form: Form) -> Limit:
    """Raises InvalidParameter."""
    return limit_of(
        {**_measured(form), "threshold": _threshold(form["threshold"], metric_of(form["metric"]))}
    )


def measured_from(form: Form) -> Limit:
    """The limit without a threshold, which is to be suggested; raises InvalidParameter."""
    return limit_of({**_measured(form), "threshold": 0})


def written(value: float, unit: Unit) -> str:
    """The value as people type it: 2500, 312.5, 1.5."""
    text = f"{value / SCALE.get(unit, 1):.6f}"
    return text.rstrip("0").rstrip(".")


def _measured(form: Form) -> dict[str, Any]:
    metric = metric_of(form["metric"])
    return {
        "metric": metric.name,
        # What the form does not show for this metric is not meant.
        "statistic": "" if metric.unit is Unit.RATIO else form["statistic"],
        "device": form["device"] if metric.is_of_pages else "",
        "pattern": form["pattern"],
        "environment": form["environment"],
        "window_hours": form.number("window_hours", 24),
        "least_samples": form.number("least_samples", 50),
    }


def _threshold(text: str, metric: Metric) -> float:
    unit = TYPED_IN[metric.unit]
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InvalidParameter("threshold", f"a number{', in ' + unit if unit else ''}")
    return round(value * SCALE.get(metric.unit, 1), 9)
