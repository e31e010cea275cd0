"""The filters of a page of performance: out of its address, and as its form offers them."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from dashboards.shared import periods
from dashboards.shared.addresses import View
from errata.performance.filters import FILTERS, Filter, Filters
from errata.user_agent import BROWSERS as KNOWN_BROWSERS
from errata.warehouse.queries.performance.facets import Facets

# Values offered of filters that have others, too.
OFFERED = {"browser": sorted({name for name, _ in KNOWN_BROWSERS} - {"curl"})}


def filter_choices(view: View, filters: Filters, offered: Facets) -> dict[str, object]:
    """The choices of the filters, for templates."""
    return {
        "environments": offered.environments,
        "releases": offered.releases,
        "time_range": periods.shown(filters.range, periods.TREND_CHOICES),
        "filters_of_loads": list(_of_loads(view, offered)),
        "is_narrowed": any(view[one.name] for one in FILTERS),
        "not_narrowed": {one.name: "" for one in FILTERS},
    }


def _of_loads(view: View, offered: Facets) -> Iterator[tuple[Filter, Sequence[str]]]:
    """Filters with what they offer; those that offer nothing are left out."""
    known = {**OFFERED, "country": offered.countries}
    for one in FILTERS:
        values = one.choices or known.get(one.name, ())
        if not one.is_of_days and (values or view[one.name]):
            yield one, values


def performance_filters(view: View, project_id: int, now: datetime) -> Filters:
    """An unknown value of a filter counts as all."""
    chosen = periods.period(view["period"], view.defaults["period"])
    narrowed = {one.name: view[one.name] for one in FILTERS if _is_known(one, view[one.name])}
    return Filters([project_id], chosen, now, **narrowed)


def _is_known(one: Filter, value: str) -> bool:
    return not one.choices or value in one.choices
