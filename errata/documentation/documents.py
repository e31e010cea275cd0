"""The Markdown files of docs/, read as documents of sections."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ADDRESS = "/docs"
INDEX = "README.md"
HEADING = re.compile(r"(#{1,6}) +(.+?)[ #]*")
FENCE = re.compile(r" *(?:```|~~~)")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)\s]*\)")
MARKUP = re.compile(r"[`*]|^\|[-: |]+\|$|^ *(?:[-*]|\d+\.) +", re.MULTILINE)
CELLS = re.compile(r" *\| *")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the Markdown below it, up to the next heading of any level; both as written."""

    level: int
    heading: str
    anchor: str
    source: str

    @property
    def title(self) -> str:
        return plain(self.heading)

    @property
    def text(self) -> str:
        """What people read of the source, on one line."""
        return plain(self.source)


@dataclass(frozen=True)
class Document:
    """`path` is relative to docs/: `decisions/statements.md`."""

    path: str
    sections: tuple[Section, ...]

    @property
    def title(self) -> str:
        return self.sections[0].title

    @property
    def address(self) -> str:
        return address(self.path)


def folder() -> Path:
    """In an installed wheel the files lie beside this module, in a checkout in docs/."""
    installed = Path(__file__).parent / "files"
    return installed if installed.exists() else Path(__file__).resolve().parents[2] / "docs"


@cache
def documents() -> Mapping[str, Document]:
    """By path."""
    root = folder()
    paths = sorted(root.rglob("*.md"))
    return {str(path.relative_to(root)): _read(root, path) for path in paths}


def address(path: str) -> str:
    """The address of a document by its path; a folder has that of its index."""
    name = path.removesuffix(INDEX).removesuffix(".md").strip("/")
    return f"{ADDRESS}/{name}" if name else ADDRESS


def plain(source: str) -> str:
    """The words of Markdown without its signs."""
    words = MARKUP.sub("", LINK.sub(r"\1", source))
    return " ".join(CELLS.sub(" · ", words).split()).replace("· ·", "·").strip("· ")


def _read(root: Path, path: Path) -> Document:
    return Document(str(path.relative_to(root)), tuple(read_sections(path.read_text(encoding="utf-8"))))


def read_sections(source: str) -> Iterator[Section]:
    """Two headings of the same words have two anchors, as on pages of repositories."""
    anchors: dict[str, int] = {}
    for level, title, lines in _parts(source):
        anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        count = anchors[anchor] = anchors.get(anchor, -1) + 1
        yield Section(level, title, f"{anchor}-{count}" if count else anchor, "\n".join(lines))


def _parts(source: str) -> Iterator[tuple[int, str, list[str]]]:
    level, title, lines, is_code = 0, "", list[str](), False
    for line in source.splitlines():
        is_code ^= bool(FENCE.match(line))
        heading = None if is_code else HEADING.fullmatch(line)
        if heading is None:
            lines.append(line)
            continue
        if level:
            yield level, title, lines
        level, title, lines = len(heading[1]), heading[2], []
    yield level, title, lines
