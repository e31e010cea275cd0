"""A payload without its secrets: found by one pass over its bytes, replaced where that pass points to."""

import re
from collections.abc import Iterable, Set
from typing import Any

import msgspec

from errata.scrubbing.bounds import DEEPEST, MOST_SUSPECTS, Allowance, TooDeep, TooManySuspects
from errata.scrubbing.rules import RULES, ScrubbingRules
from errata.scrubbing.scan import closing_quote, is_escaped, is_plainly_written, suspects
from errata.scrubbing.secret_text import NAMES_OF_OTHERS, SPAN_IDS
from errata.scrubbing.walk import NOTHING, PLAIN_NAME, Walk

TOO_DEEP = b"\n" + b" " * (DEEPEST + 1)
# Indented, a text of many lines at a great depth is many times as long.
INDENTED_MAX = 64 << 10
VALUE_OF_KEY = re.compile(rb"\s{0,16}:\s{0,16}")
QUOTE = ord('"')
FILTERED_BY_SDKS = b'"[Filtered]"'

_decode = msgspec.json.Decoder().decode
_decode_sections = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_encode = msgspec.json.Encoder().encode


def in_our_words(payload: bytes) -> bytes:
    """JSON in which what an SDK has filtered reads as what we have."""
    return payload.replace(FILTERED_BY_SDKS, b'"[FILTERED]"')


def scrubbed(
    payload: dict[str, Any], text: bytes, rules: ScrubbingRules = RULES, allowance: Allowance | None = None
) -> bytes:
    """Replaces secrets in the payload in place by `[FILTERED]`; its JSON, which `text` was before.
    `allowance`: that of several payloads together."""
    allowance = allowance or Allowance()
    _require_shallow(payload, text)
    if rules.patterns is not None:
        # A project's patterns are looked for in the objects: they lack the first of two values of one name.
        text = _encode(payload)
    found = suspects(text)
    if found and not is_plainly_written(text):
        text = _encode(payload)
        found = suspects(text)
    own = rules.own_strings(payload) if rules.patterns is not None else NOTHING
    if len(found) > MOST_SUSPECTS:
        raise TooManySuspects
    if not (found or own):
        return text
    try:
        sections = _sections(text)
    except (msgspec.DecodeError, ValueError):
        # What only a lenient reader understood, or a name that stands twice.
        text = _encode(payload)
        found = suspects(text)
        try:
            sections = _sections(text)
        except ValueError:
            # Names that need escapes: all is looked through.
            entries = Walk(rules, None, allowance).entries(payload, 0, SPAN_IDS)
            if entries is not payload:
                payload.clear()
                payload.update(entries)
            return _encode(payload)
    return _with_scrubbed_sections(payload, text, sections, found, own, rules, allowance)


def scrubbed_object(sent: dict[str, Any], rules: ScrubbingRules = RULES) -> dict[str, Any]:
    """The object itself, scrubbed in place."""
    if sent:
        scrubbed(sent, _encode(sent), rules)
    return sent


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
    payload: dict[str, Any],
    text: bytes,
    sections: list[tuple[str, int, int]],
    found: list[int],
    own: Set[str],
    rules: ScrubbingRules,
    allowance: Allowance,
) -> bytes:
    """Only a section that something was found in is walked, and written anew."""
    parts: list[bytes] = []
    renamed: dict[str, str] = {}
    written = at = 0
    for name, start, end in sections:
        first = at
        while at < len(found) and found[at] < end:
            at += 1
        if at == first and not own:
            continue
        strings, has_names = _strings_at(text, found[first:at], rules) | own, name not in NAMES_OF_OTHERS
        if not (strings or has_names):
            continue
        walk = Walk(rules, strings, allowance, has_names)
        ((stored_as, value),) = walk.entries({name: payload[name]}, 0, SPAN_IDS).items()
        payload[name] = value
        if stored_as != name:
            renamed[name] = stored_as
        parts += text[written : start - len(name) - 3], _encode(stored_as), b":", _encode(value)
        written = end
    if renamed:
        entries = [(renamed.get(name, name), value) for name, value in payload.items()]
        payload.clear()
        payload.update(entries)
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


def _require_shallow(payload: dict[str, Any], text: bytes) -> None:
    if not _may_be_deep(text):
        return
    if len(text) <= INDENTED_MAX:
        # Written line by line, the depth is that of the deepest indentation: faster than a walk.
        if TOO_DEEP in msgspec.json.format(text, indent=1):
            raise TooDeep
        return
    level: list[Any] = [payload]
    for _ in range(DEEPEST):
        level = [
            value
            for node in level
            for value in (node.values() if type(node) is dict else node)
            if type(value) is dict or type(value) is list
        ]
        if not level:
            return
    raise TooDeep


def _may_be_deep(text: bytes) -> bool:
    """False where too few brackets open in the first half, or close in the second, for a great depth."""
    begin, end = text[: len(text) // 2], text[len(text) // 2 :]
    # Not by `count`, which takes twice the time.
    opened = len(begin) - len(begin.replace(b"{", b"").replace(b"[", b""))
    return opened > DEEPEST or len(end) - len(end.replace(b"}", b"").replace(b"]", b"")) > DEEPEST
