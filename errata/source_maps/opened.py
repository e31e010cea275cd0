"""Opened maps, the most recently used ones kept in memory."""

import threading
from array import array
from bisect import bisect_right
from codecs import BOM_UTF8
from collections import OrderedDict
from dataclasses import dataclass
from itertools import accumulate
from types import ModuleType
from typing import Any
from uuid import UUID

from errata.source_maps.enclosing import function_around, is_definition
from errata.source_maps.frames import Position

CONTEXT_LINES = 5
NAMELESS = ("", "<anonymous>", "<unknown>")
SEARCHED_LINES = 60
LONGEST_LINE = 500
LONGEST_SOURCE = 1_000
LONGEST_FUNCTION = 200
# An open map takes about twice the bytes of the file and its map.
KEPT_BYTES = 64 << 20


class MapUnreadable(Exception):
    """The file is not a source map."""


class ReaderMissing(Exception):
    """This installation does not have the extra `sourcemaps`."""


@dataclass(frozen=True, slots=True)
class Original:
    """Where a minified position came from, lines and columns from 1 on. `function` is empty outside of all
    functions and in one without a name."""

    source: str
    line: int
    column: int
    function: str
    before: tuple[str, ...]
    text: str | None
    after: tuple[str, ...]


class OpenedMap:
    """Raises MapUnreadable if `source_map` is none, and ReaderMissing."""

    def __init__(self, script: bytes, source_map: bytes) -> None:
        self.byte_count = len(script) + len(source_map)
        self._line_starts = _line_starts(script)
        reader = _reader()
        self._failure = reader.SymbolicError
        try:
            self._cache = reader.SourceMapCache.from_bytes(script, source_map.removeprefix(BOM_UTF8))
        except (self._failure, ValueError) as error:
            raise MapUnreadable(str(error)[:200]) from error

    def original_at(self, character: int) -> Original | None:
        """Of a character of the script, counted from 0 in UTF-16."""
        line = bisect_right(self._line_starts, character)
        return self.original(Position(line, character - self._line_starts[line - 1] + 1))

    def original(self, position: Position) -> Original | None:
        """None: the map says nothing of the position."""
        try:
            found = self._cache.lookup(position.line, position.column, CONTEXT_LINES)
        except self._failure:
            return None
        if found is None or not found.src or not found.line:
            return None
        wide = self._cache.lookup(position.line, position.column, SEARCHED_LINES) or found
        return Original(
            source=found.src[:LONGEST_SOURCE],
            line=found.line,
            column=found.col,
            function=_function(found.function_name or "", wide, found.col)[:LONGEST_FUNCTION],
            before=tuple(map(_line, found.pre_context)),
            text=None if found.context_line is None else _line(found.context_line),
            after=tuple(map(_line, found.post_context)),
        )


class OpenedMaps:
    """By the content of script and map. Thread-safe; the least recently used ones are closed beyond
    `kept_bytes` of files, and one larger than that alone is not kept."""

    def __init__(self, kept_bytes: int = KEPT_BYTES) -> None:
        self._kept_bytes = kept_bytes
        self._byte_count = 0
        self._maps: OrderedDict[tuple[UUID, UUID], OpenedMap] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[UUID, UUID]) -> OpenedMap | None:
        with self._lock:
            found = self._maps.get(key)
            if found is not None:
                self._maps.move_to_end(key)
            return found

    def keep(self, key: tuple[UUID, UUID], opened: OpenedMap) -> None:
        with self._lock:
            if key in self._maps or opened.byte_count > self._kept_bytes:
                return
            self._maps[key] = opened
            self._byte_count += opened.byte_count
            while self._byte_count > self._kept_bytes:
                self._byte_count -= self._maps.popitem(last=False)[1].byte_count


def _line_starts(script: bytes) -> "array[int]":
    """In UTF-16 code units. Browsers don't count the mark of UTF-8 before the text."""
    lines = script.decode("utf-8-sig", "replace").split("\n")
    return array("I", accumulate((len(line.encode("utf-16-le")) // 2 + 1 for line in lines[:-1]), initial=0))


def _reader() -> ModuleType:
    """Loaded when the first map is opened: it takes 20 MB."""
    try:
        import symbolic
    except ImportError as error:
        raise ReaderMissing from error
    return symbolic


def _function(scope: str, seen: Any, column: int) -> str:
    """The function's name in the source. That of the minified scope is another one where a function was
    inlined, and none where nobody calls the function by name."""
    line = seen.context_line or ""
    around = function_around(seen.pre_context, line, column)
    if scope in NAMELESS or "." in scope:
        return around
    is_defined = any(is_definition(text, scope) for text in (*seen.pre_context, line))
    return scope if is_defined or not around else around


def _line(text: str) -> str:
    return text.rstrip("\r\n")[:LONGEST_LINE]
