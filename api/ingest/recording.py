"""Scrubs bytes of a replay's recording: a line that names the segment, then JSON, deflated or plain."""

import re
import zlib

import msgspec

from api.ingest.item import repaired
from errata.scrubbing import RULES, ScrubbingRules
from errata.scrubbing import scrubbed as scrubbed_payload

INFLATED_MAX = 32 << 20
LARGE_BYTES = 1 << 20
# Scrubbing text takes a hundred times as long as JSON, about a second for each million characters.
TEXT_MAX = 512 << 10
HEAD = re.compile(rb"\s{0,8}\{[^\n]{0,200}\}[ \t\r]{0,8}(?=\n)")
BEFORE_JSON = b"\xef\xbb\xbf \t\r\n"
_decode = msgspec.json.Decoder().decode


class TooLong(Exception):
    """The recording is too long to scrub."""


def is_large(recorded: bytes) -> bool:
    """Whether scrubbing takes long."""
    _, body = _head_and_body(recorded)
    try:
        inflated = _inflated(body, LARGE_BYTES)
    except TooLong:
        return True
    return len(inflated or body) > LARGE_BYTES


def scrubbed(recorded: bytes, rules: ScrubbingRules = RULES) -> bytes:
    """The scrubbed bytes; unchanged if nothing was found, or if they are neither JSON nor text."""
    head, body = _head_and_body(recorded)
    if not head:
        return _clean_body(body, rules)
    return _clean_events(head, rules) + b"\n" + _clean_body(body, rules)


def _head_and_body(recorded: bytes) -> tuple[bytes, bytes]:
    head = found[0] if (found := HEAD.match(recorded)) else b""
    return head, recorded[len(head) + 1 :] if head else recorded


def _clean_body(body: bytes, rules: ScrubbingRules) -> bytes:
    inflated = _inflated(body, INFLATED_MAX)
    if inflated is None:
        return _clean_events(body, rules)
    clean = _clean_events(inflated, rules)
    return body if clean == inflated else zlib.compress(clean)


def _inflated(body: bytes, most: int) -> bytes | None:
    """The inflated bytes; None if they are not deflated. Trailing bytes after the deflated part are
    included."""
    if body[:1] != b"\x78":
        return None
    inflater = zlib.decompressobj()
    try:
        events = inflater.decompress(body, most)
    except zlib.error:
        return None
    if inflater.unconsumed_tail:
        raise TooLong(f"The recording inflates to more than {most} bytes")
    return events + inflater.unused_data


def _clean_events(events: bytes, rules: ScrubbingRules) -> bytes:
    json = events.strip(BEFORE_JSON)
    if json[:1] not in (b"[", b"{"):
        return _clean_text(events, rules) if _is_text(events) else events
    try:
        clean = _clean_json(json, rules)
    except (msgspec.DecodeError, UnicodeDecodeError):
        try:
            clean = _clean_json(repaired(json.decode("utf-8", "replace")), rules)
        except (ValueError, msgspec.DecodeError):
            return _clean_text(events, rules)
    return events if clean == json else clean


def _clean_json(json: bytes, rules: ScrubbingRules) -> bytes:
    wrapped = b'{"":' + json + b"}"
    return scrubbed_payload(_decode(wrapped), wrapped, rules)[4:-1]


def _clean_text(events: bytes, rules: ScrubbingRules) -> bytes:
    if len(events) > TEXT_MAX:
        raise TooLong(f"The recording is not JSON and longer than {TEXT_MAX} bytes")
    return rules.clean(events.decode("utf-8", "replace"), False).encode()


def _is_text(events: bytes) -> bool:
    try:
        events.decode()
    except UnicodeDecodeError:
        return False
    return True
