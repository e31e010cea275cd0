"""The chain of exceptions, outermost first, with the words that join them."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from dashboards.event.frames import Frame, Run, frames, omitted, runs
from dashboards.event.minified import NOTHING, Explained
from dashboards.event.shapes import first_text, integer, mapping, text, values
from dashboards.event.trees import Node, tree

MOST_EXCEPTIONS = 50
MOST_THREADS = 20
DEEPEST_GROUP = 5
LONGEST_HEADING = 80
MEMBER = re.compile(r"[A-Za-z_.]*\[([0-9]{1,4})\]")
CAUSES = {"__context__": "Raised while handling"}


@dataclass(frozen=True, slots=True)
class Stack:
    """One exception, or the stack of a message or thread, as shown."""

    relation: str
    type: str
    message: str
    module: str
    mechanism: str
    is_unhandled: bool
    frames: tuple[Frame, ...]
    runs: tuple[Run, ...]
    # As sent, beside the original frames of `runs`; empty: no source map was used.
    minified_runs: tuple[Run, ...] = ()
    details: tuple[Node, ...] = ()
    omitted_count: int = 0
    # Members of a group stand below it.
    depth: int = 0

    @property
    def heading(self) -> str:
        return f"{self.type}: {self.message}" if self.message else self.type

    @property
    def in_app_count(self) -> int:
        return sum(item.is_in_app for item in self.frames)


def stacks(payload: dict[str, object], reasons: Explained = NOTHING) -> list[Stack]:
    sent = [mapping(value) for value in values(payload.get("exception"))]
    sent = [value for value in sent if value][-MOST_EXCEPTIONS:]
    # The protocol sends the innermost cause first.
    sent.reverse()
    shown = [_exception(value, reasons) for value in sent]
    if not shown:
        shown = threads(payload, reasons) + _stack_of_message(payload, reasons)
    else:
        shown = [replace(stack, **related) for stack, related in zip(shown, _relations(sent), strict=True)]
    return [_opened(stack) for stack in shown]


def _exception(raw: dict[str, object], reasons: Explained) -> Stack:
    mechanism = mapping(raw.get("mechanism"))
    return _stack(
        raw,
        reasons,
        type=text(raw.get("type")) or "Error",
        message=text(raw.get("value")),
        module=text(raw.get("module")),
        mechanism=text(mechanism.get("type")),
        is_unhandled=mechanism.get("handled") is False,
        details=tuple(
            tree(mechanism[name], name) for name in ("data", "meta", "help_link") if mechanism.get(name)
        ),
    )


def _relations(sent: list[dict[str, object]]) -> Iterator[dict[str, Any]]:
    """The relation of each to its parent: by number where the SDK gives one, else to the one before."""
    numbered: dict[object, tuple[dict[str, object], int]] = {}
    members = [value for value in sent if _member(value) is not None]
    sizes = Counter(_key(mapping(value.get("mechanism")).get("parent_id")) for value in members)
    for position, value in enumerate(sent):
        mechanism = mapping(value.get("mechanism"))
        before = sent[position - 1] if position else None
        parent, depth = numbered.get(_key(mechanism.get("parent_id")), (before, 0))
        member = _member(value)
        if position == 0:
            relation = ""
        elif member is not None and parent is not None:
            size = max(sizes[_key(mechanism.get("parent_id"))], member + 1)
            relation = f"{member + 1} of {size} in the group {_heading(parent)}"
            depth += 1
        else:
            relation = CAUSES.get(text(mechanism.get("source")), "Caused by")
            if parent is not before and parent is not None:
                relation += f", of {_heading(parent)}"
        numbered.setdefault(_key(mechanism.get("exception_id")), (value, depth))
        yield {"relation": relation, "depth": min(depth, DEEPEST_GROUP)}


def _member(value: dict[str, object]) -> int | None:
    """Its place in a group: `exceptions[1]` of Python, `errors[1]` of JavaScript."""
    match = MEMBER.fullmatch(text(mapping(value.get("mechanism")).get("source")))
    return int(match[1]) if match else None


def _heading(value: dict[str, object]) -> str:
    kind, message = text(value.get("type")) or "Error", text(value.get("value"))
    return f"{kind}: {message[:LONGEST_HEADING]}" if message else kind


def _key(number: object) -> object:
    return integer(number) if number is not None else object()


def threads(payload: dict[str, object], reasons: Explained = NOTHING) -> list[Stack]:
    """The threads with a stack, the crashed one first."""
    sent = [mapping(value) for value in values(payload.get("threads"))]
    sent.sort(key=lambda thread: (not thread.get("crashed"), not thread.get("current")))
    return [
        _stack(thread, reasons, type=_thread(thread))
        for thread in sent
        if values(mapping(thread.get("stacktrace")).get("frames"))
    ][:MOST_THREADS]


def _thread(raw: dict[str, object]) -> str:
    name = first_text(raw.get("name"), raw.get("id"))
    marks = [word for word in ("crashed", "current") if raw.get(word) is True]
    return " · ".join(filter(None, (f"Thread {name}".strip(), first_text(raw.get("state")), *marks)))


def _stack_of_message(payload: dict[str, object], reasons: Explained) -> list[Stack]:
    has_frames = values(mapping(payload.get("stacktrace")).get("frames"))
    return [_stack(payload, reasons, type="Message stack trace")] if has_frames else []


def _stack(
    holder: dict[str, object],
    reasons: Explained,
    *,
    type: str,  # noqa: A002 - the protocol's word
    relation: str = "",
    message: str = "",
    module: str = "",
    mechanism: str = "",
    is_unhandled: bool = False,
    details: tuple[Node, ...] = (),
) -> Stack:
    as_sent = holder.get("raw_stacktrace")
    stacktrace = holder.get("stacktrace") or as_sent
    stack = frames(stacktrace, reasons)
    return Stack(
        relation,
        type,
        message,
        module,
        mechanism,
        is_unhandled,
        tuple(stack),
        tuple(runs(stack)),
        tuple(runs(frames(as_sent))) if stacktrace is not as_sent else (),
        details,
        omitted(stacktrace),
    )


def _opened(stack: Stack) -> Stack:
    """The frames with one opened: the top in-app one that is not minified, else the top one."""
    readable = (item for item in stack.frames if item.is_in_app and item.unmapped is None)
    wanted = next(readable, stack.frames[0] if stack.frames else None)
    if wanted is None or not wanted.has_content:
        return stack
    opened = tuple(
        Run(
            run.kind,
            tuple(replace(item, is_open=True) if item is wanted else item for item in run.frames),
            run.repeats,
        )
        for run in stack.runs
    )
    return replace(stack, runs=opened)
