"""A segment of a recording for people without an account: pages, and what of the timeline is shared."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from dashboards.sharing.addresses import masked
from dashboards.sharing.allowed import allowed
from errata.deflated import Deflated, deflated
from errata.state.share_links import Shared

# rrweb's types of events and sources of changes: https://github.com/rrweb-io/rrweb, packages/types.
LOADS, SNAPSHOT, CHANGE, META, CUSTOM = (0, 1), 2, 3, 4, 5
# Sources of changes that the player plays, with what such events hold: pages are shown as they were recorded.
PLAYED = frozenset((0, 1, 2, 3, 4, 5, 6, 8, 12, 13, 14, 15, 16))
OF_SNAPSHOT = frozenset(("node", "initialOffset"))
OF_CHANGE = frozenset(
    "source texts attributes removes adds isAttachIframe positions type id x y pointerType width height "
    "text isChecked userTriggered styleId styleIds styles replace replaceSync set remove index ranges "
    "define".split()
)
# Of breadcrumbs and spans: neither requests nor console lines.
CLICKS_AND_PAGES = re.compile(r"ui\.(click|multiClick|slowClickDetected|input|keyDown)|navigation(\.\w+)?")


class Head(msgspec.Struct, gc=False):
    type: int
    timestamp: msgspec.Raw = msgspec.Raw(b"0")
    data: msgspec.Raw = msgspec.Raw(b"{}")


_each = msgspec.json.Decoder(list[msgspec.Raw]).decode
_head = msgspec.json.Decoder(Head).decode
_values = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
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
        if (data := _of_page(head)) is not None:
            yield _encode({"type": head.type, "data": data, "timestamp": head.timestamp})
        elif (kept := _decode(event) if shared.with_values else _told(head)) is not None:
            yield _encode(kept if shared.with_user else masked(kept))


def _of_page(head: Head) -> dict[str, msgspec.Raw] | None:
    """What a page or its change holds, as recorded; None: it is neither."""
    if head.type in LOADS:
        return {}
    if head.type not in (SNAPSHOT, CHANGE):
        return None
    try:
        data = _values(head.data)
        if head.type == SNAPSHOT:
            return {name: value for name, value in data.items() if name in OF_SNAPSHOT}
        if _decode(data.get("source", b"null")) not in PLAYED:
            return None
    except (msgspec.ValidationError, TypeError):
        return None
    return {name: value for name, value in data.items() if name in OF_CHANGE}


def _told(head: Head) -> dict[str, Any] | None:
    """What an event tells beside its page; None for a request, a console line, options and unknown ones."""
    data, timestamp = _decode(head.data), _decode(head.timestamp)
    if not isinstance(data, dict) or not isinstance(timestamp, int | float):
        return None
    if head.type == META:
        return {"type": META, "data": allowed("page of a replay", data), "timestamp": timestamp}
    entry = allowed("entry of a replay", data.get("payload"))
    named_by = {"breadcrumb": "category", "performanceSpan": "op"}.get(str(data.get("tag")), "")
    if head.type != CUSTOM or not CLICKS_AND_PAGES.fullmatch(str(entry.get(named_by))):
        return None
    return {"type": CUSTOM, "data": {"tag": data["tag"], "payload": entry}, "timestamp": timestamp}
