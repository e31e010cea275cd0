"""The components that pages share, made by their own macros: in development alone."""

import re

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from dashboards.shared.current_user import CurrentUserDependency
from dashboards.shared.rendering import STATIC, render
from dashboards.shared.settings_navigation import navigation
from errata.places import GENERAL
from errata.reports.chart_template import DARK_SERIES, LIGHT_SERIES

router = APIRouter()

TOKEN = re.compile(r"--([\w-]{1,40}): ?([^;]{1,400});")


@router.get("/styleguide")
def styleguide_page(request: Request, user: CurrentUserDependency) -> Response:
    tokens = TOKEN.findall((STATIC / "errata.css").read_text())
    body = render(
        "styleguide/styleguide.html",
        user.framed(request, "Style guide", ""),
        sizes=[name for name, _value in tokens if name.startswith("text-")],
        weights=("regular", "medium", "strong"),
        spaces=[name for name, _value in tokens if name.startswith("space-")],
        colors=[name for name, value in tokens if value.startswith("light-dark(#") and name != "shade"],
        series={"light": LIGHT_SERIES, "dark": DARK_SERIES},
        **navigation(GENERAL, user.projects[0]) if user.projects else navigation(GENERAL),
    )
    return HTMLResponse(body, headers={"Cache-Control": "no-store"})
