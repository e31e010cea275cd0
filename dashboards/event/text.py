"""One event as plain text, to be pasted into a ticket or a chat."""

from collections.abc import Iterator

from dashboards.event.event import Event
from dashboards.event.exceptions import Stack
from dashboards.event.frames import Run
from errata.reports import formats


def event_text(event: Event) -> str:
    return "\n".join([*_head(event), "", *_body(event)]).rstrip() + "\n"


def _head(event: Event) -> Iterator[str]:
    yield event.title
    facts = (
        ("Event", event.event_id),
        ("Time", formats.exact(event.occurred_at) if event.occurred_at else ""),
        ("Level", event.level),
        ("Environment", event.environment),
        ("Release", event.release),
        ("Transaction", event.transaction),
        ("User", event.person.id or event.person.email or event.person.name or event.person.ip_address),
        ("Request", f"{event.request.method} {event.request.url}".strip() if event.request else ""),
    )
    for name, value in facts:
        if value:
            yield f"{name}: {value}"


def _body(event: Event) -> Iterator[str]:
    for stack in event.stacks:
        if stack.relation:
            yield f"{stack.relation}:"
        yield f"{stack.type}: {stack.message}" if stack.message else stack.type
        yield from _lines(stack)
        yield ""


def _lines(stack: Stack) -> Iterator[str]:
    for run in stack.runs:
        if run.kind == "recursion":
            yield f"  … {formats.plural(len(run.frames), 'frame')} repeated {run.repeats} more times"
        else:
            yield from _frames(run)


def _frames(run: Run) -> Iterator[str]:
    for frame in run.frames:
        yield f"  at {frame.function} ({frame.place}){'' if frame.is_in_app else ' [vendor]'}"
        for line in frame.source:
            if line.is_failing:
                yield f"       {line.code.strip()}"
