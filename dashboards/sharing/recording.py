"""A segment of a recording for people without an account: pages, and what of the timeline is shared."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from dashboards.sharing.redaction import masked
from errata.deflated import Deflated, deflated
from errata.state.share_links import Shared

# rrweb's types of events and sources of changes: https://github.com/rrweb-io/rrweb, packages/types.
LOADS_AND_PAGES, CHANGE, META, CUSTOM = range(3), 3, 4, 5
CONSOLE = 11
# Of breadcrumbs and spans: neither requests nor console lines.
CLICKS_AND_PAGES = re.compile(r"ui\.(click|multiClick|slowClickDetected|input|keyDown)|navigation(\..*)?")
# What the timeline shows of them.
FIELDS = ("type", "timestamp", "category", "message", "op", "description", "startTimestamp", "endTimestamp")
FIELDS_OF_DATA = ("from", "to", "clickCount", "endReason")


class Head(msgspec.Struct, gc=False):
    type: int
    data: msgspec.Raw = msgspec.Raw(b"{}")


class Source(msgspec.Struct, gc=False):
    source: int


_each = msgspec.json.Decoder(list[msgspec.Raw]).decode
_head = msgspec.json.Decoder(Head).decode
_source = msgspec.json.Decoder(Source).decode
_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode


def shared_recording(recording: Deflated, shared: Shared) -> Deflated:
    """The events that the link shows. Changes of pages are as recorded: no text of a page is replaced."""
    if shared.with_user and shared.with_values:
        return recording
    return deflated(_array(_shown(_each(b"".join(recording.chunks())), shared)))


def _array(events: Iterable[bytes]) -> Iterator[bytes]:
    before = b"["
    for event in events:
        yield before
        yield event
        before = b","
    yield b"[]" if before == b"[" else b"]"


def _shown(events: Iterable[msgspec.Raw], shared: Shared) -> Iterator[bytes]:
    for event in events:
        head = _head(event)
        if head.type in LOADS_AND_PAGES or (
            head.type == CHANGE and (shared.with_values or _is_of_page(head))
        ):
            yield bytes(event)
        elif (kept := _told(event, head, shared)) is not None:
            yield _encode(kept if shared.with_user else masked(kept))


def _is_of_page(change: Head) -> bool:
    try:
        return _source(change.data).source != CONSOLE
    except msgspec.ValidationError:
        return False


def _told(event: msgspec.Raw, head: Head, shared: Shared) -> Any:
    """What an event tells beside its page; None: it is left out."""
    if head.type == META or (shared.with_values and head.type != CHANGE):
        return _decode(event)
    return _click_or_page(_decode(event)) if head.type == CUSTOM else None


def _click_or_page(event: dict[str, Any]) -> dict[str, Any] | None:
    """The event with what its line shows; None for a request, a console line, options and unknown ones."""
    data = event.get("data")
    payload = data.get("payload") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(payload, dict):
        return None
    named_by = {"breadcrumb": "category", "performanceSpan": "op"}.get(str(data.get("tag")), "")
    if not CLICKS_AND_PAGES.fullmatch(str(payload.get(named_by))):
        return None
    kept = _only(payload, FIELDS) | {"data": _only(payload.get("data"), FIELDS_OF_DATA)}
    return {**_only(event, ("type", "timestamp")), "data": {"tag": data["tag"], "payload": kept}}


def _only(value: Any, names: Iterable[str]) -> dict[str, Any]:
    return {name: value[name] for name in names if name in value} if isinstance(value, dict) else {}
