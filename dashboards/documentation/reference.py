"""The reference of the API in the frame of the pages."""

import re
from dataclasses import replace

from fastapi import Request
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from dashboards.documentation.markdown import anchors
from dashboards.shared.current_user import visitor_page
from dashboards.shared.rendering import render
from errata.documentation.documents import documents

ERRORS = "errors.md"
CODE = re.compile(r"<code>([a-z_]+)</code>")


def reference_page(request: Request, contents: str) -> Response:
    """Whoever is signed in can try what it describes, at first with a project of theirs."""
    page = visitor_page(request, request.app.state.context)
    body = render(
        "documentation/reference.html",
        replace(page, title="API reference"),
        text="",
        contents=_with_errors(contents),
        slug=page.projects[0].slug if page.projects else "",
    )
    return HTMLResponse(body, headers={"Cache-Control": "private, no-cache"})


def _with_errors(contents: str) -> Markup:
    """Codes of errors lead to what they mean."""
    errors = documents()[ERRORS]
    known = anchors(errors)

    def linked(match: "re.Match[str]") -> str:
        return f'<a href="{errors.address}#{match[1]}">{match[0]}</a>' if match[1] in known else match[0]

    return Markup(CODE.sub(linked, contents))
