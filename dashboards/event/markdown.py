"""One event as Markdown, to be pasted into a ticket of a tracker."""

from collections.abc import Iterator

from dashboards.event.event import Event
from dashboards.event.exceptions import Stack
from dashboards.event.frames import Frame
from dashboards.event.tags import Tag
from errata.reports import formats

MOST_FRAMES = 25
MOST_CRUMBS = 15
LONGEST_LINE = 300
MARKUP = frozenset("\\`*_{}[]<>()#+!|~@&")


def event_markdown(event: Event, link: str) -> str:
    """Whatever the event holds stands in code or is escaped: none of it becomes markup."""
    parts = [
        f"### {inline(event.title)}",
        _facts(event, link),
        *(_stack(stack) for stack in event.stacks),
        _request(event),
        _breadcrumbs(event),
        _tags(event.tags),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def _facts(event: Event, link: str) -> str:
    person = event.person
    facts = (
        ("Event", f"[{event.event_id[:8]}]({link})" if link else code(event.event_id)),
        ("Time", formats.exact(event.occurred_at) if event.occurred_at else ""),
        ("Level", code(event.level)),
        ("Environment", code(event.environment)),
        ("Release", code(event.release)),
        ("Transaction", code(event.transaction)),
        ("User", code(person.id or person.email or person.name or person.ip_address)),
    )
    return "\n".join(f"- **{name}:** {value}" for name, value in facts if value)


def _stack(stack: Stack) -> str:
    lines = [f"{stack.relation}:"] if stack.relation else []
    return "\n".join([*lines, fenced("\n".join([stack.heading, *_frames(stack)]))])


def _frames(stack: Stack) -> Iterator[str]:
    """In-app frames in full, what lies between them as a number."""
    wanted = [frame for frame in stack.frames if frame.is_in_app] or list(stack.frames)
    shown = {id(frame) for frame in wanted[:MOST_FRAMES]}
    left_out = 0
    for frame in stack.frames:
        if id(frame) not in shown:
            left_out += 1
            continue
        yield from _left_out(left_out)
        left_out = 0
        yield from _frame(frame)
    yield from _left_out(left_out + stack.omitted_count)


def _frame(frame: Frame) -> Iterator[str]:
    yield f"  at {frame.function} ({frame.place})"
    for line in frame.source:
        if line.is_failing:
            yield f"     > {line.code.strip()}"


def _left_out(count: int) -> Iterator[str]:
    if count:
        yield f"  … {formats.plural(count, 'other frame')}"


def _request(event: Event) -> str:
    if event.request is None or not event.request.url:
        return ""
    return f"**Request:** {code(f'{event.request.method} {event.request.url}'.strip())}"


def _breadcrumbs(event: Event) -> str:
    crumbs = [crumb for crumb in event.breadcrumbs if not crumb.is_event_itself][-MOST_CRUMBS:]
    if not crumbs:
        return ""
    lines = [
        f"{formats.clock(crumb.at) if crumb.at else '–':12} {crumb.kind:10} {crumb.message}"
        for crumb in crumbs
    ]
    return "**Last breadcrumbs**\n\n" + fenced("\n".join(lines))


def _tags(tags: tuple[Tag, ...]) -> str:
    if not tags:
        return ""
    rows = [f"| {cell(tag.name)} | {cell(tag.shown)} |" for tag in tags]
    return "\n".join(["| Tag | Value |", "| --- | --- |", *rows])


def fenced(text: str) -> str:
    """The fence is longer than any run of backticks within."""
    lines = "\n".join(line[:LONGEST_LINE] for line in text.splitlines())
    fence = "`" * max(3, _longest_run(lines) + 1)
    return f"{fence}text\n{lines}\n{fence}"


def code(text: str) -> str:
    text = " ".join(text.split())[:LONGEST_LINE]
    if not text:
        return ""
    fence = "`" * (_longest_run(text) + 1)
    space = " " if "`" in text else ""
    return f"{fence}{space}{text}{space}{fence}"


def cell(text: str) -> str:
    """A bar would end the cell, even within code."""
    return code(text.replace("|", "¦")) or " "


def inline(text: str) -> str:
    """A heading without markup of its own."""
    line = " ".join(text.split())[:LONGEST_LINE]
    return "".join(f"\\{letter}" if letter in MARKUP else letter for letter in line)


def _longest_run(text: str) -> int:
    longest = run = 0
    for letter in text:
        run = run + 1 if letter == "`" else 0
        longest = max(longest, run)
    return longest
