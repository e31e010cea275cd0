"""A segment of a replay's recording: a line that names the segment, then a JSON array of rrweb events,
deflated or plain. It is inflated, and its events are scrubbed and counted one by one."""

import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import msgspec
from errata_wire.limits import RECORDING_INFLATED_MAX_BYTES, RECORDING_MAX_BYTES

from api.ingest.lenient import repaired
from api.ingest.recorded_event import RecordedEvents, Typed
from api.ingest.secret_inputs import SecretInputs
from errata.deflated import Deflated, deflated, utf8
from errata.scrubbing import RULES, OneByOne, ScrubbingRules

LARGE_BYTES = 1 << 20
LAST_SEGMENT = 100_000
# What only a lenient reader takes is made objects of.
REPAIRED_MAX = 8 << 20
HEAD = re.compile(rb'\s{0,8}\{\s{0,8}"segment_id"\s{0,8}:\s{0,8}(-?\d{1,20})\s{0,8}\}[ \t\r]{0,8}\n')
HEAD_MAX = 100
BEFORE_JSON = b"\xef\xbb\xbf \t\r\n"
DEFLATED = b"\x78"
# Half of a character: the first without its second, or the second without its first. A backslash before them
# belongs to another escape.
HALF = re.compile(
    rb"(?<!\\)(?:\\\\)*+(\\u[dD](?:[89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    rb"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD])[c-fC-F][0-9a-fA-F]{2}))"
)
REPLACED = rb"\ufffd"
# Of a recording: an SDK cuts a text now and then.
HALVES_MAX = 100_000
NO_EVENTS = "The recording is not a JSON array of events"
TIMESTAMP = b'"timestamp"'
# Some events name a second moment.
EVENTS_MAX = 1_000_000
_decode_events = msgspec.json.Decoder(list[msgspec.Raw]).decode
_require_events = msgspec.json.Decoder(list[Typed]).decode

Result = TypeVar("Result")


class Unusable(Exception):
    """The bytes are no recording that can be stored; the message says why."""


@dataclass(frozen=True, slots=True)
class Recording:
    """`events`: the scrubbed events as a JSON array. `left_out_count`: what was in it and is no event."""

    segment_id: int
    events: Deflated
    counts: RecordedEvents
    left_out_count: int


def is_large(recorded: bytes) -> bool:
    """Whether to open it takes long."""
    body = _head_and_body(recorded)[1]
    if body[:1] != DEFLATED:
        return len(body) > LARGE_BYTES
    try:
        inflater = zlib.decompressobj()
        return len(inflater.decompress(body, LARGE_BYTES)) >= LARGE_BYTES and not inflater.eof
    except zlib.error:
        return False


def opened(recorded: bytes, rules: ScrubbingRules = RULES) -> Recording:
    """The recording. Raises Unusable, and TooDeep, TooLarge and TooManySuspects of the scrubbing."""
    if len(recorded) > RECORDING_MAX_BYTES:
        raise Unusable(f"The recording has {len(recorded)} bytes; the limit is {RECORDING_MAX_BYTES}")
    head, body = _head_and_body(recorded)
    if head is None:
        raise Unusable("The recording doesn't start with a line that contains its segment number")
    if not 0 <= head <= LAST_SEGMENT:
        raise Unusable(f"The segment number is {head}; it must be 0 to {LAST_SEGMENT}")
    given, counts, inputs = _given(_inflated(body)), RecordedEvents(), SecretInputs(rules)
    for event in given:
        _read(event, inputs.note)
    events = deflated(_pieces(given, counts, OneByOne(rules), inputs))
    if given and not counts.event_count:
        raise Unusable("The recording has no rrweb events")
    return Recording(head, events, counts, len(given) - counts.event_count)


def _head_and_body(recorded: bytes) -> tuple[int | None, bytes]:
    """The number of the segment, None if it is not named."""
    found = HEAD.match(recorded[:HEAD_MAX])
    return (int(found[1]), recorded[found.end() :]) if found else (None, recorded)


def _inflated(body: bytes) -> bytes:
    if body[:1] != DEFLATED:
        return body
    inflater = zlib.decompressobj()
    try:
        events = inflater.decompress(body, RECORDING_INFLATED_MAX_BYTES)
    except zlib.error as error:
        raise Unusable("The recording can't be decompressed") from error
    if inflater.unconsumed_tail:
        raise Unusable(f"The recording decompresses to more than {RECORDING_INFLATED_MAX_BYTES} bytes")
    if not inflater.eof or inflater.unused_data.strip():
        raise Unusable("The recording can't be decompressed: it is truncated, or followed by other data")
    return events


def _given(sent: bytes) -> list[msgspec.Raw]:
    events = utf8(sent.lstrip(BEFORE_JSON) if sent[:1] != b"[" else sent)
    try:
        return _each(events)
    except msgspec.ValidationError as error:
        raise Unusable(NO_EVENTS) from error
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        return _each(_without_halves(events))
    except (msgspec.DecodeError, RecursionError) as error:
        if len(events) > REPAIRED_MAX:
            raise Unusable(NO_EVENTS) from error
    try:
        return _each(repaired(events))
    except (ValueError, msgspec.DecodeError, RecursionError) as error:
        raise Unusable(NO_EVENTS) from error


def _without_halves(events: bytes) -> bytes:
    """Texts that were cut within a character, made whole in place."""
    whole = bytearray(events)
    for count, found in enumerate(HALF.finditer(events)):
        if count == HALVES_MAX:
            raise Unusable(f"The recording has more than {HALVES_MAX} unpaired surrogates")
        whole[found.start(1) : found.end(1)] = REPLACED
    return bytes(whole)


def _each(events: bytes) -> list[msgspec.Raw]:
    """The JSON of each event. An array of anything else is refused at its first element: a hundred million
    numbers would fill the memory."""
    if events.count(TIMESTAMP) > EVENTS_MAX:
        raise Unusable(f"The recording has more than {EVENTS_MAX} events")
    _require_events(events)
    return _decode_events(events)


def _pieces(
    given: Iterable[msgspec.Raw], counts: RecordedEvents, scrubber: OneByOne, inputs: SecretInputs
) -> Iterator[bytes]:
    """The JSON array of the events, scrubbed and counted."""
    before = b"["
    for event in given:
        clean = _read(event, lambda text: inputs.filtered(scrubber.scrubbed(text)))
        if clean is not None and counts.add(clean):
            yield before
            yield clean
            before = b","
    yield b"[]" if before == b"[" else b"]"


def _read(event: msgspec.Raw, read: Callable[[bytes], Result]) -> Result | None:
    """What is read of the event; None if objects cannot be made of it."""
    text = bytes(event)
    try:
        return read(text)
    except (msgspec.DecodeError, RecursionError):
        if len(text) > REPAIRED_MAX:
            return None
    try:
        return read(repaired(text))
    except (ValueError, msgspec.DecodeError, RecursionError):
        return None
