"""Stacks as Sentry's API returns them, turned back into the protocol's."""

from collections.abc import Mapping
from typing import Any

from errata.importing.values import mapping, objects, present

NAMES = {
    "filename": "filename",
    "absPath": "abs_path",
    "module": "module",
    "package": "package",
    "platform": "platform",
    "function": "function",
    "rawFunction": "raw_function",
    "symbol": "symbol",
    "lineNo": "lineno",
    "colNo": "colno",
    "inApp": "in_app",
    "trust": "trust",
    "instructionAddr": "instruction_addr",
    "symbolAddr": "symbol_addr",
    "addrMode": "addr_mode",
    "vars": "vars",
}


def stacktrace(told: object) -> dict[str, Any]:
    frames = [_frame(each) for each in objects(mapping(told).get("frames"))]
    return present({"frames": frames, "registers": mapping(told).get("registers")})


def _frame(told: Mapping[str, Any]) -> dict[str, Any]:
    named = {ours: told.get(theirs) for theirs, ours in NAMES.items()}
    return present({**named, **_source(told.get("context"), told.get("lineNo"))})


def _source(context: object, line_number: object) -> dict[str, Any]:
    """`context` holds pairs of a line's number and its text, around the frame's own line."""
    lines = [pair for pair in context if _is_line(pair)] if isinstance(context, list) else []
    own = next((text for number, text in lines if number == line_number), None)
    if own is None or not isinstance(line_number, int):
        return {}
    return {
        "pre_context": [text or "" for number, text in lines if number < line_number],
        "context_line": own,
        "post_context": [text or "" for number, text in lines if number > line_number],
    }


def _is_line(pair: object) -> bool:
    return (
        isinstance(pair, list)
        and len(pair) == 2
        and isinstance(pair[0], int)
        and (pair[1] is None or isinstance(pair[1], str))
    )
