"""The page that a project opens on."""

from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from api.context import ContextDependency
from api.overview import begun_in, project_overview
from dashboards.overview.view import next_steps, tiles
from dashboards.shared import periods
from dashboards.shared.addresses import View
from dashboards.shared.current_user import CurrentUserDependency
from dashboards.shared.delivery_verdict import verdict
from dashboards.shared.live import live_answer, version
from dashboards.shared.rendering import render
from dashboards.shared.verdicts import VERDICTS, verdict_word
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
    found = project_overview(
        context, user.session.organization_id, project, chosen, view["environment"], page.now
    )
    base = f"/projects/{quote(project.slug)}"
    if not found.figures and not found.hosts and not found.new.count:
        return RedirectResponse(f"{base}/issues", status_code=303)
    carried = {name: view[name] for name in ("period", "environment") if view[name]} | {"period": chosen}
    offered = facets(context.read, [project.id], chosen.at(page.now).since)
    delivery = verdict(found.hosts, found.refused, page.now, "")
    state = version(found, delivery, ages_read())

    def body() -> bytes:
        return render(
            "overview/overview.html",
            page,
            view=view,
            time_range=periods.shown(chosen.at(page.now)),
            environments=offered.environments,
            found=found,
            tiles=list(tiles(found, base, carried)),
            next_steps=list(next_steps(found, base, carried, chosen)),
            delivery=delivery,
            verdicts=VERDICTS,
            release_word=verdict_word(found.release) if found.release else "",
            release_reasons=reasons_sentence(found.release) if found.release else "",
            base=base,
            new_address=f"{base}/issues?{urlencode({'query': begun_in(chosen), 'period': chosen})}",
            regressed_address=f"{base}/issues?{urlencode({'status': 'regressed', 'period': chosen})}",
            version=state,
        )

    return live_answer(request, state, body)
