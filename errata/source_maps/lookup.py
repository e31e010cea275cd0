"""Replaces the minified frames of an event by original ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import UUID

from errata.source_maps.frames import Position, Script, holders, minified
from errata.source_maps.opened import OpenedMap, Original
from errata.source_maps.paths import is_vendor, source_path
from errata.source_maps.reasons import Near, Reason, Unmapped


@dataclass(frozen=True, slots=True)
class Found:
    """A script's map, or why there is none. `reason` holds for positions that the map does not know."""

    bundle_id: UUID | None = None
    opened: OpenedMap | None = None
    reason: Reason = Reason.NOT_COVERED
    near: Near | None = None
    detail: str = ""


WITHOUT_POSITION = Found(reason=Reason.NO_POSITION)


class Uploads(Protocol):
    """Where maps are looked for."""

    def maps_of(self, scripts: Sequence[Script]) -> Mapping[Script, Found]: ...


@dataclass
class Mapped:
    """`frames` is the number of frames whose file may have a map; `unmapped` those that stay minified."""

    frame_count: int = 0
    mapped_count: int = 0
    bundles: set[UUID] = field(default_factory=set)
    unmapped: list[Unmapped] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether no map of the build is missing. With a part of its frames, an error of a build that was
        uploaded in part would be told apart from the same error of a build that was uploaded whole."""
        return self.mapped_count > 0 and not any(one.is_of_build for one in self.unmapped)


def map_frames(payload: dict[str, Any], uploads: Uploads) -> Mapped:
    """Replaces frames in place; a stack trace with a replaced frame is kept as sent in `raw_stacktrace`, as
    https://develop.sentry.dev/sdk/foundations/transport/event-payloads/exception/ has it."""
    found = list(minified(payload))
    answer = Mapped(frame_count=len(found))
    if not found:
        return answer
    maps = uploads.maps_of(
        list(dict.fromkeys(script for _, script, position in found if position is not None))
    )
    replaced: dict[int, dict[str, Any]] = {}
    for frame, script, position in found:
        of_script = maps[script] if position is not None else WITHOUT_POSITION
        original = of_script.opened.original(position) if of_script.opened and position else None
        if original is None:
            answer.unmapped.append(_unmapped(frame, script, position, of_script))
            continue
        replaced[id(frame)] = _original(frame, script, original)
        answer.mapped_count += 1
        if of_script.bundle_id is not None:
            answer.bundles.add(of_script.bundle_id)
    if replaced:
        _replace(payload, replaced)
    return answer


def _unmapped(frame: Mapping[str, Any], script: Script, position: Position | None, found: Found) -> Unmapped:
    function = frame.get("function")
    name = function if isinstance(function, str) else ""
    return Unmapped(script, position, name, found.reason, found.near, found.detail)


def _original(frame: Mapping[str, Any], script: Script, original: Original) -> dict[str, Any]:
    path, data = source_path(original.source), frame.get("data")
    kept = {name: value for name, value in frame.items() if name != "module"}
    return {
        **kept,
        "function": original.function or frame.get("function") or "",
        "filename": path,
        "abs_path": original.source,
        "lineno": original.line,
        "colno": original.column,
        "pre_context": list(original.before),
        "context_line": original.text,
        "post_context": list(original.after),
        "in_app": not is_vendor(path) and frame.get("in_app") is not False,
        "data": {**(data if isinstance(data, dict) else {}), "sourcemap": script.url},
    }


def _replace(payload: dict[str, Any], replaced: Mapping[int, dict[str, Any]]) -> None:
    for holder in list(holders(payload)):
        stack = holder["stacktrace"]
        frames = stack.get("frames")
        if isinstance(frames, list) and any(id(frame) in replaced for frame in frames):
            holder["raw_stacktrace"] = stack
            holder["stacktrace"] = {**stack, "frames": [replaced.get(id(frame), frame) for frame in frames]}
