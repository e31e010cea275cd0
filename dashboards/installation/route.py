"""How a host gets the shipper and the SDK: commands and files, for everybody, since they hold no secret."""

from dataclasses import replace

from fastapi import APIRouter
from fastapi.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from api.context import ContextDependency
from dashboards.shared.current_user import VisitorPageDependency
from dashboards.shared.rendering import render
from errata.downloads.files import downloads

# Shown by browsers, so that people can read a script before they run it; wheels are saved.
TEXT = {"Content-Type": "text/plain; charset=utf-8"}
WHEEL = {"Content-Type": "application/octet-stream", "Content-Disposition": "attachment"}

router = APIRouter()


@router.get("/install")
def install_page(frame: VisitorPageDependency, context: ContextDependency) -> Response:
    page = replace(frame, title="Install a shipper")
    body = render("installation/install.html", page, base_url=context.base_url)
    return HTMLResponse(body, headers={"Cache-Control": "private, no-cache"})


@router.head("/install/{file}")
@router.get("/install/{file}")
def download(file: str) -> Response:
    files = downloads()
    found = files.by_name.get(file) if files else None
    if found is None:
        raise HTTPException(404, "No file to install has this name. /install lists them.")
    # Another version of the service has other bytes under most of these names.
    kind = WHEEL if file.endswith(".whl") else TEXT
    return Response(found.content, headers={**kind, "Cache-Control": "no-cache"})
