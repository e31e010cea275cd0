"""The replays of a project, and one of them."""

import re
from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse, Response

from api.context import Context, ContextDependency
from dashboards.replay.player.document import FRAMED_PLAYER
from dashboards.replay.view import DETAILS, ERRORS, TIMELINE, ReplayView, replay_view
from dashboards.shared import periods
from dashboards.shared.addresses import View
from dashboards.shared.current_user import CurrentUser, CurrentUserDependency, WarehouseDependency
from dashboards.shared.live import live_answer, version
from dashboards.shared.rendering import render
from errata.state.users import Role
from errata.warehouse.at_once import both
from errata.warehouse.queries.issue.feedback import feedback_of_project, written_during
from errata.warehouse.queries.issues.choices import choices_of_project
from errata.warehouse.queries.replays.list import ReplayFilters, replays_of_project

router = APIRouter()

USER_KEY = re.compile("[0-9a-f]{16}")
REPLAY_ID = re.compile("[0-9a-f]{32}")
FLAGS = ("has_errors", "has_rage_clicks", "has_dead_clicks", "is_unmasked")
FILTERS = ("page", "user", "user_query", "environment", "release", "period", *FLAGS)
DEFAULTS = {"period": "14d"}
# Of its first part: the picture of a larger one would hold up the page.
THUMB_MAX_BYTES = 2 << 20
NO_REPLAY = "No recording of this replay is stored: none has arrived, or it has expired or was erased."


@router.get("/projects/{slug}/replays")
def replays_page(
    slug: str, request: Request, user: CurrentUserDependency, warehouse: WarehouseDependency
) -> Response:
    project = user.project(slug)
    page = user.framed(request, f"Replays of {project.name}", "replays", project)
    names = (*FILTERS, "cursor")
    view = View(request.url.path, {name: request.query_params.get(name, "") for name in names}, DEFAULTS)
    filters = _filters(view, page.now)
    found, offered = both(
        lambda: replays_of_project(warehouse, project.id, filters, cursor=view["cursor"]),
        lambda: choices_of_project(warehouse, project.id, filters.period.since),
    )
    state = version(found)

    def body() -> bytes:
        return render(
            "replays/replays.html",
            page,
            view=view,
            replays=found.replays,
            thumb_max_bytes=THUMB_MAX_BYTES,
            next_cursor=found.next_cursor or "",
            environments=list(offered.environments),
            releases=list(offered.releases),
            time_range=periods.shown(filters.period),
            export_address=view.address_at(f"/api/projects/{slug}/replays"),
            is_filtered=any(view.values[name] for name in FILTERS if name != "period"),
            version=state,
        )

    answer = live_answer(request, state, body)
    answer.headers.update(FRAMED_PLAYER)
    return answer


@router.get("/projects/{slug}/replays/{replay_id}")
def replay_page(
    slug: str,
    replay_id: str,
    request: Request,
    user: CurrentUserDependency,
    context: ContextDependency,
    warehouse: WarehouseDependency,
) -> Response:
    project = user.project(slug)
    page = user.framed(request, "Replay", "replays", project)
    shown = _view(request, warehouse, project.id, replay_id)
    if shown is None:
        raise HTTPException(404, NO_REPLAY)
    body = render(
        "replays/replay.html",
        page,
        shown=shown,
        replay=shown.replay,
        address=next(iter(shown.replay.urls), ""),
        errors=shown.shown_errors,
        kinds=TIMELINE + DETAILS + ERRORS,
        share=_share(context, user, project.id, replay_id, page.now),
        segments_address=f"/api/projects/{project.slug}/replays/{replay_id}/segments/",
        is_owner=user.session.role is Role.OWNER,
        messages=feedback_of_project(warehouse, project.id, written_during(UUID(replay_id))).messages,
    )
    return HTMLResponse(body, headers=FRAMED_PLAYER | {"Cache-Control": "private, no-cache"})


def _share(
    context: Context, user: CurrentUser, project_id: int, replay_id: str, now: datetime
) -> Mapping[str, object]:
    organization_id = user.session.organization_id
    links = context.state.share_links.of_project(organization_id, project_id, replay_id=replay_id)
    return {
        "is_on": context.settings.share_links,
        "links": [link for link in links if link.state(now) == "open"],
    }


def _view(
    request: Request, warehouse: WarehouseDependency, project_id: int, replay_id: str
) -> ReplayView | None:
    if not REPLAY_ID.fullmatch(replay_id):
        return None
    query = request.query_params
    return replay_view(warehouse, project_id, UUID(replay_id), query.get("at", ""), query.get("event", ""))


def _filters(view: View, now: datetime) -> ReplayFilters:
    flags = {name: view[name] == "true" for name in FLAGS}
    return ReplayFilters(
        periods.period(view["period"], DEFAULTS["period"]).of_events(now),
        environment=view["environment"],
        release=view["release"],
        page=view["page"][:200],
        user_words=view["user_query"][:200],
        user_hash=int(view["user"], 16) if USER_KEY.fullmatch(view["user"]) else 0,
        **flags,
    )
