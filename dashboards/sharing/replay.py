"""A shared replay, and its segments: through the token of the link alone."""

from dataclasses import replace
from uuid import UUID

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from api.client_address import client_of
from api.context import Context, ContextDependency
from api.json_text import json_text
from api.parameters import SegmentId
from dashboards.replay.player.document import FRAMED_PLAYER
from dashboards.replay.view import DETAILS, ERRORS, TIMELINE, replay_view
from dashboards.shared.current_user import WarehouseDependency, bare_page
from dashboards.shared.rendering import Page, render
from dashboards.sharing.addresses import masked
from dashboards.sharing.allowed import allowed
from dashboards.sharing.answer import HEADERS, no_more
from dashboards.sharing.recording import shared_recording
from errata.deflated import Deflated
from errata.errors import RateLimited
from errata.state.share_links import ShareLink
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.replays.replay import Replay
from errata.warehouse.queries.replays.segments import recording_of_segment

router = APIRouter()

NAMED = ("environment", "release", "browser", "os", "device")


def shared_replay(warehouse: Warehouse, page: Page, link: ShareLink, token: str, at: str) -> HTMLResponse:
    shared = link.shared
    shown = replay_view(warehouse, link.project_id, UUID(shared.replay_id), at, "")
    if shown is None:
        return no_more(page, 410)

    replay = shown.replay if shared.with_user else without_addresses(shown.replay)
    errors = [{**error, "issue": "", "event": ""} for error in shown.shown_errors]
    body = render(
        "sharing/replay.html",
        page,
        link=link,
        shared=shared,
        shown=shown,
        replay=replay,
        address=next(iter(replay.urls), ""),
        errors=errors if shared.with_user else masked(errors),
        base="",
        kinds=TIMELINE + (DETAILS if shared.with_values else ()) + ERRORS,
        segments_address=f"/shared/{token}/segments/",
    )
    return HTMLResponse(body, headers=HEADERS | FRAMED_PLAYER)


def without_addresses(replay: Replay) -> Replay:
    """The replay as its head names it, with neither addresses nor names of devices such as "Ada's iPhone"."""
    named = {name: getattr(replay, name) for name in NAMED}
    known = allowed("event", named) | allowed("tags", named)
    return replace(replay, urls=masked(list(replay.urls[:1])), **dict.fromkeys(NAMED, "") | masked(known))


@router.get("/shared/{token}/segments/{segment_id}")
def shared_segment(
    token: str,
    segment_id: SegmentId,
    request: Request,
    context: ContextDependency,
    warehouse: WarehouseDependency,
) -> Response:
    page = bare_page(request)
    try:
        context.shared_segment_rate.take(client_of(request))
    except RateLimited as error:
        return no_more(page, 429, error.retry_after_seconds)
    link = context.state.share_links.find(token) if context.settings.share_links else None
    if link is None or not link.shared.replay_id:
        return no_more(page, 404)
    if link.state(page.now) != "open":
        return no_more(page, 410)
    recording = _recording(context, warehouse, link, segment_id)
    if recording is None:
        return no_more(page, 404)
    answer = json_text(recording)
    answer.headers.update(HEADERS)
    return answer


def _recording(context: Context, warehouse: Warehouse, link: ShareLink, segment_id: int) -> Deflated | None:
    replay_id = UUID(link.shared.replay_id)
    found = recording_of_segment(warehouse, link.project_id, replay_id, segment_id)
    if found is None:
        return None
    with context.segment_lock:
        return shared_recording(found, link.shared)
