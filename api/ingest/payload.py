"""The payload of a line: without secrets, and decoded as far as it is read."""

from collections.abc import Callable
from typing import Any

import msgspec

from api.ingest import sent_event
from api.ingest.item import Line, Rejection, repaired_or_refused
from errata.scrubbing import RULES, ScrubbingRules, scrubbed

decode_whole = msgspec.json.Decoder().decode


def read_payload(line: Line, rules: ScrubbingRules = RULES) -> tuple[bytes, dict[str, Any]] | Rejection:
    """Its JSON without secrets, and what is read of it: one payload at a time, so that a batch never holds
    the objects of more. Only JSON that can be decoded again is stored. Raises TooDeep and TooManySuspects."""
    if not line.payload:
        return b"{}", {}
    if line.payload[:1] != b"{":
        return Rejection(line.number, "invalid_item", f"`payload` of type {line.type} must be an object")
    decode = sent_event.read if line.type == "event" else decode_whole
    try:
        return _read(line.payload, rules, decode)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        whole = repaired_or_refused(line.number, line.payload, error)
        return whole if isinstance(whole, Rejection) else _read(whole, rules, decode)


def _read(
    payload: bytes, rules: ScrubbingRules, decode: Callable[[bytes], Any]
) -> tuple[bytes, dict[str, Any]]:
    clean = scrubbed(payload, rules)
    # The decoder looks at the bytes of those texts alone that it makes.
    if not clean.isascii():
        clean.decode()
    return clean, decode(clean)
