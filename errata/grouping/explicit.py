"""The fingerprint an application sets itself, with the variables Sentry's SDKs document."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from errata.grouping.shape import FrameShape
from errata.grouping.text import text_of

DEFAULT = "{{ default }}"
MAX_PARTS = 32
MAX_PART = 256

_VARIABLE = re.compile(r"\{\{[ ]{0,4}([\w.-]{1,64})[ ]{0,4}\}\}")


def explicit_fingerprint(
    payload: Mapping[str, Any], type_: str, value: str, frames: Sequence[FrameShape]
) -> tuple[str, ...]:
    """Its parts with all variables but `{{ default }}` filled in; empty where it says nothing of its own."""
    sent = payload.get("fingerprint")
    if not sent:
        return ()
    parts = [text_of(part, MAX_PART) for part in (sent if isinstance(sent, list) else [sent])[:MAX_PARTS]]
    filled = [_filled(part, payload, type_, value, frames) for part in parts if part]
    return () if all(part == DEFAULT for part in filled) else tuple(filled)


def _filled(
    part: str, payload: Mapping[str, Any], type_: str, value: str, frames: Sequence[FrameShape]
) -> str:
    if "{{" not in part:
        return part

    def value_of(match: re.Match[str]) -> str:
        name = match[1]
        culprit = next((frame for frame in reversed(frames) if frame.in_app), frames[-1] if frames else None)
        if name == "default":
            return DEFAULT
        if name in ("type", "error.type"):
            return type_
        if name in ("value", "error.value", "message"):
            return value
        if name in ("function", "stack.function"):
            return culprit.function if culprit else ""
        if name in ("module", "stack.module"):
            return culprit.module if culprit else ""
        if name in ("transaction", "level", "logger", "release", "environment"):
            return text_of(payload.get(name), MAX_PART)
        if name.startswith("tags."):
            return _tag(payload.get("tags"), name.removeprefix("tags."))
        return match[0]

    return _VARIABLE.sub(value_of, part)[:MAX_PART]


def _tag(tags: object, key: str) -> str:
    if isinstance(tags, dict):
        return text_of(tags.get(key), MAX_PART)
    for pair in tags if isinstance(tags, list) else ():
        if isinstance(pair, list) and len(pair) == 2 and pair[0] == key:
            return text_of(pair[1], MAX_PART)
    return ""
