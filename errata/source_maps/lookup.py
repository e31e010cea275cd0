"""Replaces the minified frames of an event by original ones."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Protocol
from uuid import UUID

from errata.scrubbing import scrubbed_object
from errata.source_maps.frames import Minified, Position, Script, holders, minified
from errata.source_maps.opened import Original
from errata.source_maps.paths import is_vendor, source_path
from errata.source_maps.reasons import Near, Reason, Unmapped


@dataclass(frozen=True, slots=True)
class Found:
    """The places of a script that its map knows, or why there is none. `reason` holds for all others."""

    bundle_id: UUID | None = None
    originals: Mapping[Position, Original] = field(default_factory=dict)
    reason: Reason = Reason.NOT_COVERED
    near: Near | None = None
    detail: str = ""


WITHOUT_POSITION = Found(reason=Reason.NO_POSITION)


class Uploads(Protocol):
    """Where maps are looked for."""

    def originals(self, positions: Mapping[Script, Collection[Position]]) -> Mapping[Script, Found]: ...


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


def map_events(payloads: Sequence[dict[str, Any]], uploads: Uploads) -> list[Mapped]:
    """Replaces frames in place; a stack trace with a replaced frame is kept as sent in `raw_stacktrace`, as
    https://develop.sentry.dev/sdk/foundations/transport/event-payloads/exception/ has it."""
    frames = [list(minified(payload)) for payload in payloads]
    positions: dict[Script, set[Position]] = {}
    for _, script, position in chain.from_iterable(frames):
        if position is not None:
            positions.setdefault(script, set()).add(position)
    found = uploads.originals(positions) if positions else {}
    return [_map(payload, minified_, found) for payload, minified_ in zip(payloads, frames, strict=True)]


def _map(payload: dict[str, Any], frames: Sequence[Minified], found: Mapping[Script, Found]) -> Mapped:
    answer = Mapped(frame_count=len(frames))
    replaced: dict[int, dict[str, Any]] = {}
    for frame, script, position in frames:
        of_script = found[script] if position is not None else WITHOUT_POSITION
        original = of_script.originals.get(position) if position is not None else None
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
        **_source_lines(original),
        "in_app": not is_vendor(path) and frame.get("in_app") is not False,
        "data": {**(data if isinstance(data, dict) else {}), "sourcemap": script.url},
    }


def _source_lines(original: Original) -> dict[str, Any]:
    """As if the SDK had sent them: an upload is stored as it came."""
    lines = {
        "pre_context": list(original.before),
        "context_line": original.text,
        "post_context": list(original.after),
    }
    shown: dict[str, Any] = scrubbed_object({"frame": lines})["frame"]
    return shown


def _replace(payload: dict[str, Any], replaced: Mapping[int, dict[str, Any]]) -> None:
    for holder in list(holders(payload)):
        stack = holder["stacktrace"]
        frames = stack.get("frames")
        if isinstance(frames, list) and any(id(frame) in replaced for frame in frames):
            holder["raw_stacktrace"] = stack
            holder["stacktrace"] = {**stack, "frames": [replaced.get(id(frame), frame) for frame in frames]}
