"""The filters of a page of performance: out of its address, and as its form offers them."""

from datetime import datetime

from api.ingest.user_agent import BROWSERS as KNOWN_BROWSERS
from dashboards.shared import periods
from dashboards.shared.addresses import View
from errata.performance.filters import FILTERS, Filter, Filters
from errata.warehouse.queries.performance.facets import Facets

# Values offered of filters that have others, too.
OFFERED = {"browser": sorted({name for name, _ in KNOWN_BROWSERS} - {"curl"})}
FILTERS_OF_LOADS = [(one, one.choices or OFFERED[one.name]) for one in FILTERS if not one.is_of_days]


def filter_choices(view: View, filters: Filters, offered: Facets) -> dict[str, object]:
    """The choices of the filters, for templates."""
    return {
        "environments": offered.environments,
        "releases": offered.releases,
        "time_range": periods.shown(filters.range, periods.TREND_CHOICES),
        "filters_of_loads": FILTERS_OF_LOADS,
        "is_narrowed": any(view[one.name] for one in FILTERS),
        "not_narrowed": {one.name: "" for one in FILTERS},
    }


def performance_filters(view: View, project_id: int, now: datetime) -> Filters:
    """An unknown value of a filter counts as all."""
    chosen = periods.period(view["period"], view.defaults["period"])
    narrowed = {one.name: view[one.name] for one in FILTERS if _is_known(one, view[one.name])}
    return Filters([project_id], chosen, now, **narrowed)


def _is_known(one: Filter, value: str) -> bool:
    return not one.choices or value in one.choices
