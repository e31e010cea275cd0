"""GET /replay-player: nothing of a recording is in it, so it needs no sign-in."""

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from dashboards.replay.player.document import document, policy

router = APIRouter()


@router.get("/replay-player")
def replay_player() -> HTMLResponse:
    headers = {
        "Content-Security-Policy": policy(),
        "X-Frame-Options": "SAMEORIGIN",
        "X-DNS-Prefetch-Control": "off",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "private, no-cache",
        # The frame's own document may be in a page of ours, whose opener it is not.
        "Cross-Origin-Opener-Policy": "unsafe-none",
    }
    return HTMLResponse(document(), headers=headers)
