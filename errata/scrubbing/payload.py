"""A payload without its secrets: found by one pass over its bytes, replaced where that pass points to."""

import re
from collections.abc import Iterable, Set
from typing import Any

import msgspec
import numpy
from errata_wire.secret_text import NAMES_OF_OTHERS, SPAN_IDS

from errata.scrubbing.bounds import DEEPEST, MOST_SUSPECTS, Allowance, TooDeep, TooManySuspects
from errata.scrubbing.rules import RULES, ScrubbingRules
from errata.scrubbing.scan import closing_quote, is_escaped, is_plainly_written, suspects
from errata.scrubbing.walk import NOTHING, PLAIN_NAME, Walk

VALUE_OF_KEY = re.compile(rb"\s{0,16}:\s{0,16}")
QUOTE = ord('"')
FILTERED_BY_SDKS = b'"[Filtered]"'
SQUARE = numpy.uint8(0xDF)
"""Without the bit that makes `[` and `]` the curly ones."""
OPENING, CLOSING = numpy.uint8(ord("[")), numpy.uint8(ord("]"))
NO_SIGNS = bytes(set(range(256)).difference(b'[]{}"'))

_decode = msgspec.json.Decoder().decode
_decode_object = msgspec.json.Decoder(dict[str, Any]).decode
_decode_sections = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_encode = msgspec.json.Encoder().encode


def in_our_words(payload: bytes) -> bytes:
    """JSON in which what an SDK has filtered reads as what we have."""
    return payload.replace(FILTERED_BY_SDKS, b'"[FILTERED]"')


def scrubbed(text: bytes, rules: ScrubbingRules = RULES, allowance: Allowance | None = None) -> bytes:
    """A JSON object with `[FILTERED]` in place of secrets; objects are made only of what may hold one.
    `allowance`: that of several payloads together. Raises TooDeep and TooManySuspects, and DecodeError,
    UnicodeDecodeError or RecursionError where a part that is looked into cannot be decoded."""
    allowance = allowance or Allowance()
    _require_shallow(text)
    own = NOTHING
    if rules.patterns is not None:
        # A project's patterns are looked for in the objects: they lack the first of two values of one name.
        payload = _decode(text)
        text, own = _encode(payload), rules.own_strings(payload)
    found = suspects(text)
    if found and not is_plainly_written(text):
        text = _encode(_decode(text))
        found = suspects(text)
    if len(found) > MOST_SUSPECTS:
        raise TooManySuspects
    if not (found or own):
        return text
    try:
        sections = _sections(text)
    except (msgspec.DecodeError, ValueError):
        # What only a lenient reader understood, or a name that stands twice.
        text = _encode(_decode(text))
        found = suspects(text)
        try:
            sections = _sections(text)
        except ValueError:
            # Names that need escapes: all is looked through.
            return _encode(Walk(rules, None, allowance).entries(_decode(text), 0, SPAN_IDS))
    return _with_scrubbed_sections(text, sections, found, own, rules, allowance)


def scrubbed_object(sent: dict[str, Any], rules: ScrubbingRules = RULES) -> dict[str, Any]:
    """The object without secrets."""
    return _decode_object(scrubbed(_encode(sent), rules)) if sent else sent


def _sections(text: bytes) -> list[tuple[str, int, int]]:
    """The top-level values: name, begin and end of its JSON. ValueError: not written tightly."""
    found, at = [], 0
    for name, raw in _decode_sections(text).items():
        section = bytes(raw)
        # Behind a comma and the name with its quotes and colon.
        at += len(name) + 4
        if not text.startswith(section, at):
            raise ValueError
        end = at + len(section)
        found.append((name, at, end))
        at = end
    if at + 1 != len(text):
        raise ValueError
    return found


def _with_scrubbed_sections(
    text: bytes,
    sections: list[tuple[str, int, int]],
    found: list[int],
    own: Set[str],
    rules: ScrubbingRules,
    allowance: Allowance,
) -> bytes:
    """Only a section that something was found in is walked, and written anew."""
    parts: list[bytes] = []
    written = at = 0
    for name, start, end in sections:
        first = at
        while at < len(found) and found[at] < end:
            at += 1
        if at == first and not own:
            continue
        value = _decode(text[start:end])
        strings, has_names = _strings_at(text, found[first:at], rules) | own, name not in NAMES_OF_OTHERS
        if not (strings or has_names):
            continue
        walk = Walk(rules, strings, allowance, has_names)
        ((stored_as, value),) = walk.entries({name: value}, 0, SPAN_IDS).items()
        parts += text[written : start - len(name) - 3], _encode(stored_as), b":", _encode(value)
        written = end
    return b"".join((*parts, text[written:]))


def _strings_at(text: bytes, positions: Iterable[int], rules: ScrubbingRules) -> set[str]:
    """The strings of the JSON at these positions, and the values of keys that say nothing of them."""
    strings: set[str] = set()
    end = 0
    for position in positions:
        inside = position + 1 if text[position] == QUOTE else position
        if inside < end:
            continue
        end = closing_quote(text, inside)
        found = _string(text[_quote_before(text, inside) : end])
        value = VALUE_OF_KEY.match(text, end)
        if value and found and PLAIN_NAME.fullmatch(found[0]) and rules.is_sensitive(found[0]):
            continue
        strings.update(found)
        if value and text[value.end() : value.end() + 1] == b'"':
            strings.update(_string(text[value.end() : closing_quote(text, value.end() + 1)]))
    return strings


def _string(literal: bytes) -> list[str]:
    try:
        return [decoded] if isinstance(decoded := _decode(literal), str) else []
    except (msgspec.DecodeError, UnicodeDecodeError):
        return []


def _quote_before(text: bytes, position: int) -> int:
    at = text.rfind(b'"', 0, position)
    while at > 0 and is_escaped(text, at):
        at = text.rfind(b'"', 0, at)
    return max(at, 0)


def _require_shallow(text: bytes) -> None:
    brackets, half = numpy.frombuffer(text, numpy.uint8) & SQUARE, len(text) // 2
    # A great depth has many that open before it and many that close behind it, in whichever half it is.
    if (
        numpy.count_nonzero(brackets[:half] == OPENING) <= DEEPEST
        and numpy.count_nonzero(brackets[half:] == CLOSING) <= DEEPEST
    ):
        return
    signs = text.replace(rb"\\", b"").replace(rb"\"", b"").translate(None, NO_SIGNS)
    # Of strings only those that hold brackets are left; every second part is one of them.
    outside = b"".join(signs.replace(b'""', b"").split(b'"')[::2])
    steps = numpy.where(numpy.frombuffer(outside, numpy.uint8) & SQUARE == OPENING, 1, -1)
    if numpy.cumsum(steps).max(initial=0) > DEEPEST:
        raise TooDeep
