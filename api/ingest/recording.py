"""Bytes of a replay's recording, scrubbed: a line that names the segment, then JSON, deflated or as it is."""

import zlib

import msgspec

from errata.scrubbing import RULES, ScrubbingRules
from errata.scrubbing import scrubbed as scrubbed_payload

INFLATED_MAX = 32 << 20
_decode = msgspec.json.Decoder().decode


class TooLong(Exception):
    """The recording inflates to more than can be looked through."""

    def __init__(self) -> None:
        super().__init__(f"The recording inflates to more than {INFLATED_MAX} bytes")


def scrubbed(recorded: bytes, rules: ScrubbingRules = RULES) -> bytes:
    """The bytes themselves where nothing was found, or where they are of a form that is not known."""
    head, line_end, body = recorded.partition(b"\n")
    is_deflated = body[:1] == b"\x78"
    events = _inflated(body) if is_deflated else body
    if events.lstrip()[:1] not in (b"[", b"{"):
        return recorded
    wrapped = b'{"":' + events.strip() + b"}"
    try:
        payload = _decode(wrapped)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return recorded
    clean = scrubbed_payload(payload, wrapped, rules)
    if clean == wrapped:
        return recorded
    clean = clean[4:-1]
    return head + line_end + (zlib.compress(clean) if is_deflated else clean)


def _inflated(body: bytes) -> bytes:
    inflater = zlib.decompressobj()
    try:
        events = inflater.decompress(body, INFLATED_MAX)
    except zlib.error:
        return b""
    if inflater.unconsumed_tail:
        raise TooLong
    return events
