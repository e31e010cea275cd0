"""The log files that hosts reported, and the bytes that have arrived."""

from collections.abc import Iterator
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.context import ContextDependency
from api.key_hosts import key_states
from dashboards.delivery.services import service_choices
from dashboards.delivery.view import ledger
from dashboards.shared import periods
from dashboards.shared.addresses import View
from dashboards.shared.current_user import CurrentUserDependency, WarehouseDependency
from dashboards.shared.live import hold_slot, live_pieces, version
from dashboards.shared.rendering import render_in_pieces
from errata.reports.chart_template import templates
from errata.warehouse.at_once import Parts
from errata.warehouse.queries.delivery.ledger import Filters

router = APIRouter()

DEFAULTS = {"period": "14d", "files": "all"}
NAMES = ("period", "host", "service", "files", "cursor")
FILES = (("all", "All"), ("missing", "Missing bytes"))


@router.get("/projects/{slug}/delivery")
def delivery_page(
    slug: str,
    request: Request,
    context: ContextDependency,
    user: CurrentUserDependency,
    warehouse: WarehouseDependency,
) -> Response:
    project = user.project(slug)
    page = user.framed(request, f"Delivery of {project.name}", "delivery", project)
    view = View(request.url.path, {name: request.query_params.get(name, "") for name in NAMES}, DEFAULTS)
    chosen = periods.period(view["period"], DEFAULTS["period"])
    filters = Filters([project.id], chosen, page.now, view["host"], view["service"])
    annotations = user.annotations(project)
    shown = Parts().ask(
        lambda: ledger(
            warehouse,
            filters,
            view["files"] == "missing",
            view["cursor"],
            context.settings.disk_bound,
            annotations,
        )
    )
    hold_slot(request, [shown])
    services = context.state.keys.app.services(project.id)
    keys = key_states(context, user.session.organization_id)

    def pieces() -> Iterator[bytes]:
        return render_in_pieces(
            "delivery/delivery.html",
            page,
            view=view,
            shown=shown.result,
            key_states=keys,
            time_range=periods.shown(filters.days, periods.TREND_CHOICES),
            files_choices=FILES,
            service_choices=service_choices(services, view["service"]),
            chart_templates=templates(),
            state=state,
            base_url=context.base_url,
            exports=_exports(slug, view),
        )

    def state() -> str:
        return version(shown.result(), keys)

    return live_pieces(request, state, pieces)


def _exports(slug: str, view: View) -> dict[str, str]:
    """Addresses of the tables as JSON, with the filters of the page."""
    base = f"/api/projects/{quote(slug, safe='')}/delivery"
    chosen = {name: view[name] for name in ("period", "host", "service") if view[name]}
    files = {"files": view["files"]} if view["files"] != DEFAULTS["files"] else {}
    outcomes = {name: value for name, value in chosen.items() if name != "host"}
    tables = (("files", "", chosen | files), ("hosts", "/hosts", chosen), ("outcomes", "/outcomes", outcomes))
    return {name: f"{base}{path}?{urlencode(given)}".removesuffix("?") for name, path, given in tables}
