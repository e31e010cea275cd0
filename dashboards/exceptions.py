"""The chain of exceptions, outermost first, with the words that join them."""

from dataclasses import dataclass, replace

from dashboards.frames import Frame, Run, frames, runs
from dashboards.shapes import mapping, text, values
from dashboards.trees import Node, tree

MOST_EXCEPTIONS = 50


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
    details: tuple[Node, ...] = ()

    @property
    def in_app_count(self) -> int:
        return sum(item.is_in_app for item in self.frames)

    @property
    def vendor_count(self) -> int:
        return len(self.frames) - self.in_app_count


def stacks(payload: dict[str, object]) -> list[Stack]:
    platform = text(payload.get("platform"))
    sent = [mapping(value) for value in values(payload.get("exception"))]
    sent = [value for value in sent if value][-MOST_EXCEPTIONS:]
    # The protocol sends the innermost cause first.
    shown = [_exception(value, platform, is_first=number == 0) for number, value in enumerate(reversed(sent))]
    if not shown:
        shown = _other_stacks(payload, platform)
    return [_opened(stack) for stack in shown]


def _exception(raw: dict[str, object], platform: str, is_first: bool) -> Stack:
    mechanism = mapping(raw.get("mechanism"))
    return _stack(
        raw.get("stacktrace") or raw.get("raw_stacktrace"),
        platform,
        relation="" if is_first else relation(mechanism),
        type=text(raw.get("type")) or "Error",
        message=text(raw.get("value")),
        module=text(raw.get("module")),
        mechanism=text(mechanism.get("type")),
        is_unhandled=mechanism.get("handled") is False,
        details=tuple(
            tree(mechanism[name], name) for name in ("data", "meta", "help_link") if mechanism.get(name)
        ),
    )


def relation(mechanism: dict[str, object]) -> str:
    source = text(mechanism.get("source"))
    if source == "__context__":
        return "Raised while handling"
    if source.endswith("]"):
        return f"Part of the group: {source}"
    return "Caused by"


def _other_stacks(payload: dict[str, object], platform: str) -> list[Stack]:
    """Messages carry their stack in threads or beside the payload."""
    threads = [mapping(value) for value in values(payload.get("threads"))]
    threads.sort(key=lambda thread: not (thread.get("crashed") or thread.get("current")))
    found = [(text(thread.get("name")), thread.get("stacktrace")) for thread in threads]
    found.append(("", payload.get("stacktrace")))
    return [
        _stack(stacktrace, platform, type=f"Thread {name}".strip() if name else "Stack of the message")
        for name, stacktrace in found
        if values(mapping(stacktrace).get("frames"))
    ][:10]


def _stack(
    stacktrace: object,
    platform: str,
    *,
    type: str,  # noqa: A002 - the protocol's word
    relation: str = "",
    message: str = "",
    module: str = "",
    mechanism: str = "",
    is_unhandled: bool = False,
    details: tuple[Node, ...] = (),
) -> Stack:
    stack = frames(stacktrace, platform)
    return Stack(
        relation, type, message, module, mechanism, is_unhandled, tuple(stack), tuple(runs(stack)), details
    )


def _opened(stack: Stack) -> Stack:
    """Opens the frame a reader wants first: the top in-app one, else the top one."""
    wanted = next(
        (item for item in stack.frames if item.is_in_app), stack.frames[0] if stack.frames else None
    )
    if wanted is None or not wanted.has_details:
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
