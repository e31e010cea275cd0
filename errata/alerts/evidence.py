"""What an alert says of an issue beside its title: where it fails, how often, and for how many."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

MOST_FRAMES = 3
LONGEST_TEXT = 200
PERIOD = "24h"


def evidence(
    payload: Mapping[str, Any],
    facts: Mapping[str, str],
    counts: Mapping[str, int],
    steps: Sequence[int],
    begin: datetime,
    step: timedelta,
) -> dict[str, Any]:
    """`facts` are those of the latest event, `counts` and `steps` of the period, which begins at `begin`."""
    return {
        **{name: value[:LONGEST_TEXT] for name, value in facts.items()},
        **counts,
        "frames": frames(payload),
        "steps": list(steps),
        "steps_begin_at": begin.isoformat(timespec="seconds").replace("+00:00", "Z"),
        "step_minutes": round(step / timedelta(minutes=1)),
    }


def frames(payload: Mapping[str, Any]) -> list[dict[str, str]]:
    """The top frames of the application: of the outermost exception that has any, the failing one first.
    Without in-app frames, its top frame alone."""
    stacks = [list(_stack(value)) for value in reversed(_values(payload))]
    for stack in stacks:
        if found := [frame for frame in stack if frame.get("in_app") is True]:
            return [_shown(frame) for frame in found[:MOST_FRAMES]]
    return [_shown(frame) for stack in stacks[:1] for frame in stack[:1]]


def _values(payload: Mapping[str, Any]) -> list[Any]:
    """Exceptions, the innermost cause first; else what the message came with."""
    sent = payload.get("exception")
    listed = sent.get("values") if isinstance(sent, dict) else sent
    return listed if isinstance(listed, list) and listed else [payload]


def _stack(value: Any) -> Iterator[Mapping[str, Any]]:
    """The top frame first."""
    stacktrace = value.get("stacktrace") if isinstance(value, dict) else None
    listed = stacktrace.get("frames") if isinstance(stacktrace, dict) else None
    for frame in reversed(listed if isinstance(listed, list) else []):
        if isinstance(frame, dict):
            yield frame


def _shown(frame: Mapping[str, Any]) -> dict[str, str]:
    file = _word(frame, "filename") or _word(frame, "abs_path") or _word(frame, "module") or "unknown file"
    line = _word(frame, "lineno")
    return {
        "function": _word(frame, "function") or "<anonymous>",
        "place": f"{file}:{line}" if line else file,
        "source": _word(frame, "context_line").strip(),
    }


def _word(frame: Mapping[str, Any], name: str) -> str:
    value = frame.get(name)
    return " ".join(str(value).split())[:LONGEST_TEXT] if isinstance(value, str | int) else ""
