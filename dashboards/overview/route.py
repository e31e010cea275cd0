"""The page that a project opens on."""

from collections.abc import Iterator
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from api.context import ContextDependency
from api.overview import ProjectOverview, begun_in
from dashboards.overview.over_time import OverTime
from dashboards.overview.view import next_steps, tiles, traffic_figure
from dashboards.shared import periods
from dashboards.shared.addresses import View
from dashboards.shared.current_user import CurrentUserDependency
from dashboards.shared.delivery_verdict import verdict
from dashboards.shared.live import hold_slot, live_pieces, version
from dashboards.shared.rendering import render_in_pieces
from dashboards.shared.verdicts import VERDICTS, verdict_word
from errata.performance.filters import Filters
from errata.reports.chart_template import templates
from errata.reports.release_headline import reasons_sentence
from errata.warehouse.published import ages_read
from errata.warehouse.queries.performance.facets import facets

router = APIRouter()

DEFAULTS = {"period": "24h", "environment": ""}


@router.get("/projects/{slug}")
def overview_page(
    slug: str, request: Request, context: ContextDependency, user: CurrentUserDependency
) -> Response:
    """A project without data opens on the steps to its first event."""
    project = user.project(slug)
    page = user.framed(request, project.name, "overview", project)
    view = View(request.url.path, {name: request.query_params.get(name, "") for name in DEFAULTS}, DEFAULTS)
    chosen = periods.period(view["period"], DEFAULTS["period"])
    found = ProjectOverview(
        context, user.session.organization_id, project, chosen, view["environment"], page.now
    )
    filters = Filters([project.id], chosen, page.now, environment=view["environment"])
    over_time = OverTime(context.read.shared(), project.id, filters)
    asked = [*found.parts, *over_time.parts]
    hold_slot(request, asked)
    base = f"/projects/{quote(project.slug)}"
    if found.is_empty:
        return RedirectResponse(f"{base}/issues", status_code=303)
    carried = {name: view[name] for name in ("period", "environment") if view[name]} | {"period": chosen}

    def pieces() -> Iterator[bytes]:
        return render_in_pieces(
            "overview/overview.html",
            page,
            view=view,
            time_range=periods.shown(chosen.at(page.now)),
            offered=facets(context.read, [project.id], chosen.at(page.now).since),
            found=found,
            trend_step=over_time.range.trend_step,
            tiles=lambda: tiles(found, over_time, base, carried),
            chart_templates=templates(),
            traffic_figure=lambda: traffic_figure(over_time),
            next_steps=lambda: list(next_steps(found, base, carried, chosen)),
            delivery=lambda: verdict(found.hosts, found.refused, page.now, ""),
            verdicts=VERDICTS,
            verdict_word=verdict_word,
            reasons_sentence=reasons_sentence,
            base=base,
            new_address=f"{base}/issues?{urlencode({'query': begun_in(chosen), 'period': chosen})}",
            regressed_address=f"{base}/issues?{urlencode({'status': 'regressed', 'period': chosen})}",
            version=state,
        )

    def state() -> str:
        return version(*(one.result() for one in asked), ages_read())

    return live_pieces(request, state, pieces)
