"""The prose of a Markdown page: its words and its sentences, without code and links."""

import re
from collections.abc import Iterator

CODE_BLOCK = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*(?:\n[^`\n]*)?`")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
ITEM = re.compile(r"^(?:[-*]|\d+\.) ")
WORD = re.compile(r"[^\W\d_]+(?:['’.,/-][^\W_]+)*")
END = re.compile(r"(?<=[.!?])[\"”)*_]*\s+")


def words(text: str) -> list[str]:
    """Numbers and names in code are none."""
    return WORD.findall(CODE.sub(" ", text))


def sentences(page: str) -> Iterator[str]:
    """Of paragraphs, items of lists, headings and cells of tables."""
    for block in _blocks(LINK.sub(r"\1", CODE.sub("§", CODE_BLOCK.sub("\n\n", page)))):
        yield from END.split(block)


def _blocks(text: str) -> Iterator[str]:
    lines: list[str] = []
    for line in [*text.splitlines(), ""]:
        line = line.strip()
        begins = not line or line.startswith(("#", "|")) or ITEM.match(line) is not None
        if begins and lines:
            yield " ".join(lines)
            lines = []
        if line.startswith("|"):
            yield from line.strip("|").split("|")
        elif line:
            lines.append(ITEM.sub("", line))
