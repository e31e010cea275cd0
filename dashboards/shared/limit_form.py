"""The fields of a limit, in the units people read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from dashboards.shared.form import Form
from dashboards.shared.threshold import refused, typed, written
from errata.budgets.limit import DEVICES, LEAST_SAMPLES, STATISTICS, WINDOWS, Limit, limit_of
from errata.budgets.metric import METRICS, Metric, metric_of
from errata.errors import InvalidParameter
from errata.performance.filters import Filters
from errata.performance.metric import Unit
from errata.period import Period
from errata.warehouse.at_once import all_three
from errata.warehouse.client import QueryFailed, Warehouse, WarehouseUnavailable
from errata.warehouse.queries.performance.facets import facets
from errata.warehouse.queries.performance.metric_over_time import matches
from errata.warehouse.queries.performance.named import endpoints_named
from errata.warehouse.queries.performance.page_detail import page_names

OFFERED_PERIOD = Period("30d")
# Of pages, and of endpoints; the most used ones.
MOST_OFFERED = 200
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
    """The choices of the fields; pages, endpoints and environments are those of the last 30 days."""

    pages: Sequence[str] = ()
    endpoints: Sequence[str] = ()
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
    pages, endpoints, offered = all_three(
        lambda: page_names(warehouse, filters),
        lambda: endpoints_named(warehouse, project_id, (), filters.range.since.date(), MOST_OFFERED),
        lambda: facets(warehouse, filters.projects, filters.range.since),
    )
    named = [f"{each.method} {each.route}".strip() for each in endpoints]
    return Choices(pages, named, offered.environments)


def choices_if_known(warehouse: Warehouse, project_id: int, now: datetime) -> Choices:
    """Without names where the warehouse does not answer: rules can be made all the same."""
    try:
        return choices_of(warehouse, project_id, now)
    except (WarehouseUnavailable, QueryFailed):
        return Choices()


@dataclass(frozen=True)
class Covered:
    """The pages or endpoints of the last 30 days that a limit is about; `is_cut`: the offered ones are only
    the most used."""

    names: Sequence[str]
    is_cut: bool


def covered(choices: Choices, limit: Limit) -> Covered:
    offered = choices.pages if limit.measured.is_of_pages else choices.endpoints
    return Covered(
        [name for name in offered if not limit.pattern or _is_covered(limit, name)],
        len(offered) >= MOST_OFFERED,
    )


def _is_covered(limit: Limit, name: str) -> bool:
    if limit.measured.is_of_pages:
        return matches(limit.pattern, name)
    method, route = limit.method_and_route
    called, _, path = name.rpartition(" ")
    return method in ("", called) and matches(route, path)


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
    least_samples: str = str(LEAST_SAMPLES)

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
    measured = _measured(form)
    unit = metric_of(form["metric"]).unit
    threshold = typed(form["threshold"], unit)
    try:
        return limit_of({**measured, "threshold": threshold})
    except InvalidParameter as error:
        # By what people type, not by what is kept.
        raise (refused(unit) if error.parameter == "threshold" else error) from None


def measured_from(form: Form) -> Limit:
    """The limit without a threshold, which is to be suggested; raises InvalidParameter."""
    return limit_of({**_measured(form), "threshold": 0})


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
        "least_samples": form.number("least_samples", LEAST_SAMPLES),
    }
