"""GET /replay-player: nothing of a recording is in it, so it needs no sign-in."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from dashboards.replay.player.document import document, policy, tag

router = APIRouter()


@router.get("/replay-player")
def replay_player(request: Request) -> Response:
    headers = {
        "ETag": tag(),
        "Content-Security-Policy": policy(),
        "X-Frame-Options": "SAMEORIGIN",
        "X-DNS-Prefetch-Control": "off",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "private, no-cache",
        # The frame's own document may be in a page of ours, whose opener it is not.
        "Cross-Origin-Opener-Policy": "unsafe-none",
    }
    # A list shows many replays, and a browser asks for each.
    if request.headers.get("if-none-match", "").removeprefix("W/") == tag():
        return Response(status_code=304, headers=headers)
    return HTMLResponse(document(), headers=headers)
