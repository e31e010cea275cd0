"""Words in the sections of documents."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from errata.documentation.documents import Document, Section, documents

SNIPPET_CHARACTERS = 200
BEFORE_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Match:
    """A section that has the words; `snippet` is the part of its text around the first of them."""

    document: Document
    section: Section
    snippet: str

    @property
    def address(self) -> str:
        is_first = self.section is self.document.sections[0]
        return self.document.address + ("" if is_first else f"#{self.section.anchor}")


def search(words: Sequence[str], most: int) -> list[Match]:
    """Sections with all words, letter case aside: first those with most of them in the heading, then by
    their number. Some of the words, not all, may be in the title of the document alone."""
    if not words:
        return []
    found = [pair for document in documents().values() for pair in _ranked(document, words)]
    found.sort(key=lambda pair: pair[0])
    return [match for _, match in found[:most]]


def headings(words: Sequence[str], most: int) -> list[Match]:
    """Sections by the words of their heading, the shortest first; some may be in the document's title."""
    found = [
        Match(document, section, "")
        for document in documents().values()
        for section in document.sections
        if _has_all(section.title, document.title, words)
    ]
    found.sort(key=lambda match: (-_count_in(match.section.title, words), len(match.section.title)))
    return found[:most]


def _ranked(document: Document, words: Sequence[str]) -> Iterator[tuple[tuple[int, int], Match]]:
    named = words_pattern(words)
    for section in document.sections:
        text = section.text
        if _has_all(f"{section.title} {text}", document.title, words):
            rank = -_count_in(section.title, words), -len(named.findall(text))
            yield rank, Match(document, section, _snippet(text, named))


def _has_all(text: str, title: str, words: Sequence[str]) -> bool:
    return _count_in(text, words) > 0 and _count_in(f"{text} {title}", words) == len(words)


def _count_in(text: str, words: Sequence[str]) -> int:
    folded = text.casefold()
    return sum(word.casefold() in folded for word in words)


def words_pattern(words: Sequence[str]) -> "re.Pattern[str]":
    """Any of the words, letter case aside, as its only group."""
    return re.compile(f"({'|'.join(re.escape(word) for word in words)})", re.IGNORECASE)


def _snippet(text: str, named: "re.Pattern[str]") -> str:
    first = named.search(text)
    start = max(0, first.start() - BEFORE_CHARACTERS) if first else 0
    # From the beginning of a word to the end of one.
    start = text.find(" ", start) + 1 if start else 0
    end = start + SNIPPET_CHARACTERS
    cut = text[start:end].rpartition(" ")[0] if len(text) > end else text[start:]
    return f"{'… ' if start else ''}{cut}{' …' if len(text) > end else ''}"
