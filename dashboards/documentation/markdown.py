"""Documents as HTML: their Markdown with anchors, links between pages, and tables that scroll."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from errata.documentation.documents import ADDRESS, INDEX, Document, Section, address, documents, folder

# Options of the library: HTML of a document would be shown as text.
MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
CODE = re.compile(r"[\w.-]+")
ELSEWHERE = ("http://", "https://", "mailto:")
SCROLLING = ("table_open", "table_close")
# Focusable, so that keys can scroll them.
AROUND_TABLE = ('<div class="scroll" role="group" aria-label="Table" tabindex="0">', "</div>\n")


@dataclass
class Writing:
    """One document as it is written. `anchors`: those in use, each once."""

    document: Document
    anchors: set[str] = field(default_factory=set)


@lru_cache(maxsize=128)
def html(document: Document) -> Markup:
    """The document as nested sections, each with the anchor of its heading."""
    writing = Writing(document, {section.anchor for section in document.sections})
    return Markup("").join(_nested(writing, document.sections))


def anchors(document: Document) -> set[str]:
    """Those of headings and of rows of tables."""
    return set(re.findall(r' id="([^"]+)"', html(document)))


def _nested(writing: Writing, sections: Sequence[Section]) -> Iterator[Markup]:
    """The first heading holds only its own text, so that each part below it can be shown alone."""
    open_levels: list[int] = []
    for section in sections:
        while open_levels and (open_levels[-1] >= section.level or open_levels[-1] == 1):
            open_levels.pop()
            yield Markup("</section>\n")
        open_levels.append(section.level)
        yield Markup('<section aria-labelledby="{0}">\n<h{1} id="{0}">{2}</h{1}>\n{3}').format(
            section.anchor,
            section.level,
            Markup(MARKDOWN.renderInline(section.heading)),
            _body(writing, section.source),
        )
    yield Markup("</section>\n") * len(open_levels)


def _body(writing: Writing, source: str) -> Markup:
    tokens = MARKDOWN.parse(source)
    _name_rows(writing, tokens)
    _leave_corners(tokens)
    _align(tokens)
    for token in tokens:
        if token.type == "inline":
            token.children = list(_placed(writing.document, token.children or []))
    return Markup("").join(_scrolling(tokens))


def _scrolling(tokens: Sequence[Token]) -> Iterator[Markup]:
    """Tables and blocks of code scroll within themselves."""
    start = 0
    for number, token in enumerate(tokens):
        if token.type in ("fence", "code_block"):
            yield _rendered(tokens[start:number])
            yield Markup('<pre tabindex="0"><code>{}</code></pre>\n').format(token.content)
            start = number + 1
        elif token.type in SCROLLING:
            is_end = token.type == "table_close"
            yield _rendered(tokens[start : number + is_end])
            yield Markup(AROUND_TABLE[is_end])
            start = number + is_end
    yield _rendered(tokens[start:])


def _rendered(tokens: Sequence[Token]) -> Markup:
    return Markup(MARKDOWN.renderer.render(tokens, MARKDOWN.options, {}))


def _name_rows(writing: Writing, tokens: Sequence[Token]) -> None:
    """A row that begins with a name in code, such as an error or a setting, has that as its anchor."""
    for row, cell, inline in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if (row.type, cell.type) != ("tr_open", "td_open"):
            continue
        words = inline.children or []
        name = words[0].content if [word.type for word in words] == ["code_inline"] else ""
        if CODE.fullmatch(name) and name not in writing.anchors:
            writing.anchors.add(name)
            row.attrSet("id", name)


def _leave_corners(tokens: Sequence[Token]) -> None:
    """A cell without words heads nothing."""
    for start, inline, end in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if start.type == "th_open" and not inline.content:
            start.tag = end.tag = "td"


def _align(tokens: Sequence[Token]) -> None:
    """Columns of numbers by their class: pages allow no inline styles."""
    for token in tokens:
        if token.attrs.pop("style", None) == "text-align:right":
            token.attrSet("class", "number")


def _placed(document: Document, tokens: Sequence[Token]) -> Iterator[Token]:
    """With the addresses of this service; links to other files of the repository become text."""
    is_text = False
    for token in tokens:
        if token.type == "link_open":
            target = link_target(document, str(token.attrGet("href") or ""))
            is_text = target is None
            if target is not None:
                token.attrSet("href", target)
        elif token.type == "image":
            source = _relative(document, str(token.attrGet("src") or ""))
            token.attrSet("src", f"{ADDRESS}/{source}")
        if not (is_text and token.type in ("link_open", "link_close")):
            yield token


def link_target(document: Document, link: str) -> str | None:
    """None for a file that is not shown."""
    if link.startswith((*ELSEWHERE, "#", "/")):
        return link
    path, sign, anchor = link.partition("#")
    path = _relative(document, path)
    path = posixpath.join(path, INDEX) if (folder() / path).is_dir() else path
    return address(path) + sign + anchor if path in documents() else None


def _relative(document: Document, path: str) -> str:
    """The path within docs/ of a path that stands in the document."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(document.path), path))
