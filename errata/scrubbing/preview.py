"""What rules of a project would change in events that are stored."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import msgspec
from errata_wire.secret_text import FILTERED

from errata.scrubbing.bounds import TooManySuspects
from errata.scrubbing.payload import scrubbed
from errata.scrubbing.project_rules import ProjectRules, compiled, key_of

# The latest events that are read.
EVENTS = 100
MOST_FIELDS = 100
SHOWN_BEFORE, MOST_SHOWN = 30, 160

_decode = msgspec.json.Decoder().decode


class ChangeKind(StrEnum):
    """`kept`: the value was filtered before and would now be stored."""

    FILTERED = "filtered"
    KEPT = "kept"


@dataclass(frozen=True)
class Change:
    """At a path, in which places in lists are left out; cut to the part that changes."""

    path: str
    kind: ChangeKind
    before: str
    after: str


@dataclass(frozen=True)
class FieldChange:
    """`example` is the change of the newest event that has one there."""

    example: Change
    event_count: int


@dataclass(frozen=True)
class ScrubbingPreview:
    event_count: int
    changed_event_count: int
    fields: list[FieldChange]
    """The most frequent first."""
    field_count: int


def preview(payloads: Iterable[bytes], rules: ProjectRules) -> ScrubbingPreview:
    """Of payloads as they are stored, the newest first."""
    own, kept = compiled(rules), {key_of(name) for name in rules.kept_names}
    examples: dict[tuple[str, ChangeKind], Change] = {}
    counts: Counter[tuple[str, ChangeKind]] = Counter()
    event_count = changed_count = 0
    for payload in payloads:
        event_count += 1
        before = after = _decode(payload)
        # Stored before there was a bound, nothing of it can be shown.
        with suppress(TooManySuspects):
            after = _decode(scrubbed(payload, own))
        changes = {
            (change.path, change.kind): change
            for found in (_differences(before, after, ""), _kept_values(before, kept, ""))
            for change in found
        }
        changed_count += any(kind is ChangeKind.FILTERED for _, kind in changes)
        counts.update(changes.keys())
        examples = changes | examples
    listed = [FieldChange(examples[key], count) for key, count in counts.items()]
    listed.sort(key=lambda each: (-each.event_count, each.example.path))
    return ScrubbingPreview(event_count, changed_count, listed[:MOST_FIELDS], len(listed))


def _differences(before: Any, after: Any, path: str) -> Iterator[Change]:
    if type(before) is dict and type(after) is dict and len(before) == len(after):
        for (name, value), (new_name, new_value) in zip(before.items(), after.items(), strict=True):
            if name != new_name:
                yield _change(path, name, new_name)
            yield from _differences(value, new_value, _below(path, name))
    elif type(before) is list and type(after) is list and len(before) == len(after):
        for value, new_value in zip(before, after, strict=True):
            yield from _differences(value, new_value, f"{path}[]")
    elif before != after:
        yield _change(path, _text(before), _text(after))


def _kept_values(node: Any, kept: set[str], path: str) -> Iterator[Change]:
    """Values that were filtered, under names that would be kept."""
    if not kept:
        return
    if type(node) is dict:
        for name, value in node.items():
            if value == FILTERED and key_of(name) in kept:
                yield Change(_below(path, name), ChangeKind.KEPT, FILTERED, "")
            else:
                yield from _kept_values(value, kept, _below(path, name))
    elif type(node) is list:
        for value in node:
            yield from _kept_values(value, kept, f"{path}[]")


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _text(value: Any) -> str:
    return value if type(value) is str else msgspec.json.encode(value).decode()


def _change(path: str, before: str, after: str) -> Change:
    pairs = zip(before, after, strict=False)
    same = next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(before), len(after)))
    start = max(0, same - SHOWN_BEFORE)
    return Change(path, ChangeKind.FILTERED, _shortened(before, start), _shortened(after, start))


def _shortened(text: str, start: int) -> str:
    cut = text[start : start + MOST_SHOWN]
    return f"{'…' if start else ''}{cut}{'…' if len(text) > start + MOST_SHOWN else ''}"
