"""A stack trace for reading: top frame first, vendor runs and recursion folded."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from dashboards.event.minified import NOTHING, Explained, reason_of_frame
from dashboards.event.shapes import first_text, integer, mapping, pairs, sequence, text
from dashboards.event.trees import Node, tree
from errata.source_maps.reasons import Unmapped

LONGEST_CYCLE = 12
FEWEST_REPEATS = 3
MOST_FRAMES = 500
LONGEST_SIGNATURE = 4000
DEFINITION = re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)[ \t]*\(", re.M)
NAME = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class SourceLine:
    number: int | None
    code: str
    is_failing: bool


@dataclass(frozen=True, slots=True)
class Frame:
    file: str
    full_path: str
    function: str
    module: str
    line: int | None
    column: int | None
    is_in_app: bool
    source: tuple[SourceLine, ...]
    arguments: tuple[Node, ...]
    local_variables: tuple[Node, ...]
    # Why the frame stays minified.
    unmapped: Unmapped | None = None
    is_open: bool = False

    @property
    def place(self) -> str:
        parts = [self.file or self.module or "unknown file"]
        parts += [str(number) for number in (self.line, self.column) if number is not None]
        return ":".join(parts)

    @property
    def has_details(self) -> bool:
        return self.has_content or self.unmapped is not None

    @property
    def has_content(self) -> bool:
        return bool(self.source or self.arguments or self.local_variables)

    @property
    def identity(self) -> tuple[str, str, int | None]:
        return (self.full_path or self.file or self.module, self.function, self.line)


@dataclass(frozen=True, slots=True)
class Run:
    """Frames shown together: `kind` is frame (alone), vendor (folded) or recursion (`repeats` more turns)."""

    kind: str
    frames: tuple[Frame, ...]
    repeats: int = 0


def frame(value: object, reasons: Explained = NOTHING) -> Frame:
    raw = mapping(value)
    variables = [(name, item) for name, item in pairs(raw.get("vars"))]
    argument_names = {text(name) for name in sequence(raw.get("arguments"))} or names_in_signature(raw)
    return Frame(
        file=first_text(raw.get("filename"), raw.get("abs_path")),
        full_path=first_text(raw.get("abs_path"), raw.get("filename")),
        function=first_text(
            *(raw.get(name) for name in ("function", "raw_function", "symbol", "instruction_addr"))
        )
        or "<anonymous>",
        module=first_text(raw.get("module"), raw.get("package")),
        line=integer(raw.get("lineno")),
        column=integer(raw.get("colno")),
        is_in_app=raw.get("in_app") is True,
        source=source_lines(raw),
        arguments=tuple(tree(item, name) for name, item in variables if name in argument_names),
        local_variables=tuple(tree(item, name) for name, item in variables if name not in argument_names),
        unmapped=reason_of_frame(raw, reasons),
    )


def names_in_signature(raw: dict[str, Any]) -> set[str]:
    """Python SDKs send arguments among the locals: the definition tells them, where it is in sight."""
    before = sequence(raw.get("pre_context"))
    above = "\n".join(text(line) for line in [*before, raw.get("context_line")])[-LONGEST_SIGNATURE:]
    function = text(raw.get("function")).rpartition(".")[2]
    found = list(DEFINITION.finditer(above))
    return names_of_parameters(above[found[-1].end() :]) if found and found[-1][1] == function else set()


def names_of_parameters(text: str) -> set[str]:
    """The names up to the closing bracket, without those in annotations and defaults."""
    depth, is_name = 1, True
    kept: list[str] = []
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0:
            return set(NAME.findall("".join(kept)))
        if depth == 1 and letter in ",:=":
            is_name = letter == ","
        kept.append(letter if is_name and depth == 1 else " ")
    return set()


def source_lines(raw: dict[str, object]) -> tuple[SourceLine, ...]:
    before = [text(line) for line in sequence(raw.get("pre_context"))]
    after = [text(line) for line in sequence(raw.get("post_context"))]
    failing = raw.get("context_line")
    if failing is None:
        return ()
    number = integer(raw.get("lineno"))
    first = None if number is None else number - len(before)
    return tuple(
        SourceLine(None if first is None else first + position, code, position == len(before))
        for position, code in enumerate([*before, text(failing), *after])
    )


def frames(stacktrace: object, reasons: Explained = NOTHING) -> list[Frame]:
    """Top frame first: the protocol sends the oldest first."""
    sent = sequence(mapping(stacktrace).get("frames"))[-MOST_FRAMES:]
    return [frame(value, reasons) for value in reversed(sent)]


def omitted(stacktrace: object) -> int:
    """Frames of the middle that the SDK left out, and those past our limit."""
    raw = mapping(stacktrace)
    start, end = (*map(integer, sequence(raw.get("frames_omitted"))), None, None)[:2]
    left_out = max(0, end - start) if start is not None and end is not None else 0
    return left_out + max(0, len(sequence(raw.get("frames"))) - MOST_FRAMES)


def runs(stack: Sequence[Frame]) -> list[Run]:
    """The top frame stands alone: there the error occurred. Nothing is folded where nothing is in-app."""
    folds = any(item.is_in_app for item in stack)
    answer: list[Run] = []
    for cycle in cycles(stack):
        if cycle.kind == "recursion":
            answer.append(cycle)
        elif folds:
            answer.extend(_vendor_runs(cycle.frames, is_first=not answer))
        else:
            answer.extend(Run("frame", (item,)) for item in cycle.frames)
    return answer


def _vendor_runs(stack: Sequence[Frame], is_first: bool) -> list[Run]:
    head = [Run("frame", (stack[0],))] if is_first and stack else []
    for is_in_app, group in groupby(stack[len(head) :], key=lambda item: item.is_in_app):
        members = tuple(group)
        if is_in_app or len(members) == 1:
            head.extend(Run("frame", (member,)) for member in members)
        else:
            head.append(Run("vendor", members))
    return head


def cycles(stack: Sequence[Frame]) -> list[Run]:
    """Plain stretches, and stretches that one cycle of frames fills at least three times."""
    identities = [item.identity for item in stack]
    answer: list[Run] = []
    plain: list[Frame] = []
    position = 0
    while position < len(stack):
        length, turns = _cycle_at(identities, position)
        if turns < FEWEST_REPEATS:
            plain.append(stack[position])
            position += 1
            continue
        # One turn stays in the open; the rest is folded behind its number.
        plain.extend(stack[position : position + length])
        answer.append(Run("plain", tuple(plain)))
        plain = []
        answer.append(Run("recursion", tuple(stack[position + length : position + 2 * length]), turns - 1))
        position += length * turns
    if plain:
        answer.append(Run("plain", tuple(plain)))
    return answer


def _cycle_at(identities: Sequence[object], start: int) -> tuple[int, int]:
    for length in range(1, LONGEST_CYCLE + 1):
        first = identities[start : start + length]
        turns = 1
        while identities[start + turns * length : start + (turns + 1) * length] == first:
            turns += 1
        if turns >= FEWEST_REPEATS:
            return length, turns
    return 0, 0
