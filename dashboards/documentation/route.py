"""The documentation of this version, for everybody: it holds no data of the service."""

import posixpath
from collections.abc import Sequence
from dataclasses import replace

from fastapi import APIRouter, Request
from fastapi.exceptions import HTTPException
from markupsafe import Markup, escape
from starlette.responses import FileResponse, HTMLResponse, Response

from dashboards.documentation.markdown import html
from dashboards.shared.current_user import VisitorPageDependency
from dashboards.shared.rendering import Page, render
from errata.documentation.documents import INDEX, Document, documents, folder
from errata.documentation.search import search, words_pattern
from errata.search.parse import UNSEARCHABLE

MOST_CHARACTERS = 200
MOST_WORDS = 20
MOST_MATCHES = 50
# Levels of headings in the table of contents.
LISTED = (2, 3)
IMAGES = (".png", ".svg", ".jpg")

router = APIRouter()


@router.get("/docs")
def index(request: Request, frame: VisitorPageDependency) -> Response:
    text = request.query_params.get("q", "")[:MOST_CHARACTERS].strip()
    words = UNSEARCHABLE.sub(" ", text).split()[:MOST_WORDS]
    if not words:
        return _shown(INDEX, frame)
    found = [(match, _marked(match.snippet, words)) for match in search(words, MOST_MATCHES)]
    page = replace(frame, title="Search documentation")
    return _answer(
        render("documentation/search.html", page, text=text, found=found, is_cut=len(found) == MOST_MATCHES)
    )


@router.get("/docs/{document}")
def page_of(document: str, frame: VisitorPageDependency) -> Response:
    path = f"{document}.md"
    return _shown(path if path in documents() else f"{document}/{INDEX}", frame)


@router.get("/docs/decisions/{document}")
def page_of_decision(document: str, frame: VisitorPageDependency) -> Response:
    return _shown(f"decisions/{document}.md", frame)


@router.get("/docs/images/{image}")
def image_of(image: str) -> Response:
    known = {path.name: path for path in (folder() / "images").iterdir() if path.suffix in IMAGES}
    if image not in known:
        raise HTTPException(404)
    return FileResponse(known[image], headers={"Cache-Control": "no-cache"})


def _shown(path: str, frame: Page) -> Response:
    document = documents().get(path)
    if document is None:
        raise HTTPException(404, "No page of the documentation has this address.")
    body = render(
        "documentation/document.html",
        replace(frame, title=document.title),
        text="",
        document=document,
        content=html(document),
        listed=[section for section in document.sections if section.level in LISTED],
        parents=_parents(document),
    )
    return _answer(body)


def _parents(document: Document) -> list[tuple[str, str]]:
    """Address and title of the indexes above it, the topmost first."""
    if document.path == INDEX:
        return []
    indexes = [INDEX, f"{posixpath.dirname(document.path)}/{INDEX}"]
    known = [documents()[path] for path in indexes if path in documents() and path != document.path]
    return [(one.address, one.title) for one in known]


def _marked(snippet: str, words: Sequence[str]) -> Markup:
    """The words in it are marked."""
    parts = words_pattern(words).split(snippet)
    return Markup("").join(
        Markup("<mark>{}</mark>").format(part) if number % 2 else escape(part)
        for number, part in enumerate(parts)
    )


def _answer(body: bytes) -> Response:
    return HTMLResponse(body, headers={"Cache-Control": "private, no-cache"})
