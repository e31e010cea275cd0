"""Words in the sections of documents."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from errata.documentation.documents import Document, Section, documents

SNIPPET_CHARACTERS = 200
BEFORE_CHARACTERS = 60
LONGEST_SINGULAR = 3
QUESTION_WORDS = frozenset(
    """
    a an and are at be by can do does for from how i if in is it its me my of on or our that the their there
    this to was we what when where which who why will with you your
    """.split()
)


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
    """Sections with as many of the words as any section has, letter case aside: first those with most of
    them in the heading, then by their number. Some of the words may be in the title of the document alone."""
    patterns = _patterns(words)
    if not patterns:
        return []
    named = words_pattern(words)
    found = [
        (count, document, section)
        for document in documents().values()
        for section in document.sections
        if (count := _count_of(section, document, patterns))
    ]
    highest = max((count for count, _, _ in found), default=0)
    best = [(document, section) for count, document, section in found if count == highest]
    best.sort(key=lambda one: (-_count_in(one[1].title, patterns), -len(named.findall(one[1].text))))
    return [Match(document, section, _snippet(section.text, named)) for document, section in best[:most]]


def headings(words: Sequence[str], most: int) -> list[Match]:
    """Sections by the words of their heading, the shortest first; some may be in the document's title."""
    patterns = _patterns(words)
    found = [
        Match(document, section, "")
        for document in documents().values()
        for section in document.sections
        if _count_in(section.title, patterns)
        and _count_in(f"{section.title} {document.title}", patterns) == len(patterns)
    ]
    found.sort(key=lambda match: (-_count_in(match.section.title, patterns), len(match.section.title)))
    return found[:most]


def _count_of(section: Section, document: Document, patterns: Sequence["re.Pattern[str]"]) -> int:
    """The number of words in the section and its document's title; 0 if none is in the section itself."""
    text = f"{section.title} {section.text}"
    return _count_in(text, patterns) and _count_in(f"{text} {document.title}", patterns)


def _count_in(text: str, patterns: Sequence["re.Pattern[str]"]) -> int:
    return sum(pattern.search(text) is not None for pattern in patterns)


def _patterns(words: Sequence[str]) -> list["re.Pattern[str]"]:
    return [re.compile(pattern, re.IGNORECASE) for pattern in _meant(words)]


def words_pattern(words: Sequence[str]) -> "re.Pattern[str]":
    """Any of the words, letter case aside, as its only group. Words of a question that say nothing of its
    subject are left out where others are left."""
    return re.compile(f"({'|'.join(_meant(words))})", re.IGNORECASE)


def _meant(words: Sequence[str]) -> list[str]:
    """A pattern for each word: it may go on in the text, and its plural is the same word."""
    telling = [word for word in words if word.casefold().strip("?!.,") not in QUESTION_WORDS] or words
    return [_pattern(word) for word in dict.fromkeys(telling)]


def _pattern(word: str) -> str:
    word = word.rstrip("?!,") or word
    if len(word) > LONGEST_SINGULAR and word[-1] in "sS" and word[-2] not in "sS":
        word = word[:-1]
    begin = r"(?<!\w)" if re.match(r"\w", word) else ""
    return f"{begin}{re.escape(word)}\\w*"


def _snippet(text: str, named: "re.Pattern[str]") -> str:
    first = named.search(text)
    start = max(0, first.start() - BEFORE_CHARACTERS) if first else 0
    # From the beginning of a word to the end of one.
    start = text.find(" ", start) + 1 if start else 0
    end = start + SNIPPET_CHARACTERS
    cut = text[start:end].rpartition(" ")[0] if len(text) > end else text[start:]
    return f"{'… ' if start else ''}{cut}{' …' if len(text) > end else ''}"
