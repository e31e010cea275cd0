"""What the address says of a page of performance, and the filters that follow from it."""

from collections.abc import Mapping
from datetime import datetime

from fastapi import Request

from api.ingest.user_agent import BROWSERS as KNOWN_BROWSERS
from dashboards import periods
from dashboards.addresses import View
from errata.warehouse.queries.facets import Facets
from errata.warehouse.queries.performance import Filters

DEFAULTS = {"period": "14d"}
NAMES = ("period", "environment", "release", "device", "browser", "sort")
DEVICES = ("desktop", "mobile", "tablet", "bot")
BROWSERS = sorted({name for name, _ in KNOWN_BROWSERS} - {"curl"})


def performance_view(
    request: Request, *more: str, path: str = "", defaults: Mapping[str, str] | None = None
) -> View:
    values = {name: request.query_params.get(name, "") for name in (*NAMES, *more)}
    return View(path or request.url.path, values, defaults or DEFAULTS)


def filter_choices(period: str, offered: Facets) -> dict[str, object]:
    """What the filters of a page with views offer, for its template."""
    chosen = periods.period(period, DEFAULTS["period"])
    return {
        "environments": offered.environments,
        "releases": offered.releases,
        "periods": periods.choices(chosen, periods.TREND_CHOICES),
        "period_words": periods.words(chosen),
        "devices": DEVICES,
        "browsers": BROWSERS,
    }


def performance_filters(view: View, project_id: int, now: datetime) -> Filters:
    """A device that is none counts as all."""
    device = view["device"] if view["device"] in DEVICES else ""
    chosen = periods.period(view["period"], DEFAULTS["period"])
    return Filters([project_id], chosen, now, view["environment"], view["release"], device, view["browser"])
