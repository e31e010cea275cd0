"""The frames of an event that a source map could tell more about."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from errata.source_maps.addresses import names_of

PLATFORMS = frozenset({"javascript", "node"})
MOST_FRAMES = 500
# Of one event: what a statement can ask about.
MOST_SCRIPTS = 100
LARGEST = 2**31


@dataclass(frozen=True, slots=True)
class Script:
    """A file that ran: what its map is looked for by. `debug_id` None: its build gave it none."""

    url: str
    debug_id: UUID | None
    release: str
    dist: str


@dataclass(frozen=True, slots=True)
class Position:
    """In a minified file, from 1 on."""

    line: int
    column: int


# A frame, its file, and the position where the SDK sent one.
Minified = tuple[dict[str, Any], Script, Position | None]


def minified(payload: dict[str, Any]) -> Iterator[Minified]:
    """Frames whose file may have a map. A position is missing where the SDK sent none."""
    if payload.get("platform") not in PLATFORMS:
        return
    of_url = debug_ids(payload)
    release, dist = _text(payload.get("release")), _text(payload.get("dist"))
    scripts: set[str] = set()
    for holder in holders(payload):
        for frame in frames_of(holder["stacktrace"]):
            url = url_of(frame)
            if not names_of(url) or frame.get("platform", "javascript") not in PLATFORMS:
                continue
            debug_id = of_url.get(url)
            # Programs that run from their sources send lines of them.
            if frame.get("context_line") is not None and debug_id is None:
                continue
            scripts.add(url)
            if len(scripts) > MOST_SCRIPTS:
                return
            yield frame, Script(url, debug_id, release, dist), position_of(frame)


def holders(payload: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What has a `stacktrace`: exceptions, threads and the event itself."""
    values: list[Any] = [payload]
    for name in ("exception", "threads"):
        holder = payload.get(name)
        inner = holder.get("values") if isinstance(holder, dict) else holder
        values.extend(inner if isinstance(inner, list) else ())
    for value in values:
        if isinstance(value, dict) and isinstance(value.get("stacktrace"), dict):
            yield value


def frames_of(stacktrace: Mapping[str, Any]) -> list[dict[str, Any]]:
    sent = stacktrace.get("frames")
    return (
        [frame for frame in sent[-MOST_FRAMES:] if isinstance(frame, dict)] if isinstance(sent, list) else []
    )


def debug_ids(payload: Mapping[str, Any]) -> dict[str, UUID]:
    """By URL, of `debug_meta`: https://develop.sentry.dev/sdk/foundations/transport/event-payloads/debugmeta/"""
    meta = payload.get("debug_meta")
    images = meta.get("images") if isinstance(meta, dict) else None
    found = {}
    for image in images if isinstance(images, list) else ():
        if isinstance(image, dict) and image.get("type") == "sourcemap":
            url, debug_id = _text(image.get("code_file")), debug_id_of(image.get("debug_id"))
            if url and debug_id is not None:
                found[url] = debug_id
    return found


def debug_id_of(value: object) -> UUID | None:
    if not isinstance(value, str) or len(value) not in (32, 36):
        return None
    try:
        return UUID(value)
    except ValueError:
        return None


def url_of(frame: Mapping[str, Any]) -> str:
    """Of the frame's file, at most 4,096 characters; empty: the frame names none."""
    return _text(frame.get("abs_path")) or _text(frame.get("filename"))


def position_of(frame: Mapping[str, Any]) -> Position | None:
    line, column = frame.get("lineno"), frame.get("colno")
    if type(line) is not int or type(column) is not int or not 0 < line < LARGEST or not 0 < column < LARGEST:
        return None
    return Position(line, column)


def _text(value: object) -> str:
    return value[:4096] if isinstance(value, str) else ""
