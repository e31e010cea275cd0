"""A project's uploads of source maps, those that are missing, and how to upload them."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response

from api.context import ContextDependency
from dashboards.shared.addresses import View
from dashboards.shared.current_user import CurrentUserDependency, WarehouseDependency
from dashboards.shared.rendering import render
from dashboards.shared.settings_navigation import navigation
from errata.places import SOURCE_MAPS
from errata.state.users import Role
from errata.warehouse.at_once import both
from errata.warehouse.queries.source_maps.listing import SourceBundle, missing_source_maps, source_bundles

router = APIRouter()

MOST_SHOWN = 100


@router.get("/projects/{slug}/settings/source-maps")
def source_maps_page(
    slug: str,
    request: Request,
    context: ContextDependency,
    user: CurrentUserDependency,
    warehouse: WarehouseDependency,
    release: Annotated[str, Query(max_length=250)] = "",
) -> Response:
    project = user.project(slug)
    uploads, missing = both(
        # One more tells whether there are others.
        lambda: source_bundles(warehouse, project.id, release, MOST_SHOWN + 1),
        lambda: missing_source_maps(warehouse, project.id, MOST_SHOWN),
    )
    body = render(
        "settings/source_maps/source_maps.html",
        user.framed(request, f"Source maps of {project.name}", "settings", project),
        **navigation(SOURCE_MAPS, project),
        view=View(request.url.path, {"release": release}),
        uploads=by_release(uploads[:MOST_SHOWN]),
        has_more=len(uploads) > MOST_SHOWN,
        missing=missing,
        base_url=context.base_url,
        is_owner=user.session.role is Role.OWNER,
    )
    return HTMLResponse(body, headers={"Cache-Control": "no-store"})


def by_release(uploads: Sequence[SourceBundle]) -> list[SourceBundle]:
    """Those of a release together, where the latest of them stands."""
    places: dict[str, int] = {}
    for upload in uploads:
        places.setdefault(upload.release, len(places))
    return sorted(uploads, key=lambda upload: places[upload.release])
