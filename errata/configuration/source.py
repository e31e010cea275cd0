"""The text of a file of configuration: its values, and the line of each."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from errata.configuration.errors import ConfigurationRefused, ConfigurationUnreadable, Problem

LARGEST_BYTES = 4 << 20
DEEPEST = 12
MOST_VALUES = 200_000
TAGS = {
    f"tag:yaml.org,2002:{kind}" for kind in ("map", "seq", "str", "int", "float", "bool", "null", "timestamp")
}
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
HALF_CHARACTERS = re.compile(r"[\ud800-\udfff]")

# Keys of mappings, and numbers in lists.
Location = tuple[str | int, ...]


@dataclass
class Source:
    """`lines` by the path of a value: that of its key, or of itself in a list."""

    path: Path
    value: Any = None
    lines: dict[Location, int] = field(default_factory=dict)

    def problem(self, at: Location, reason: str) -> Problem:
        """At the line of the value, else of the innermost one around it."""
        found = at
        while found and found not in self.lines:
            found = found[:-1]
        return Problem(self.lines.get(found, 1), dotted(at), reason)


def dotted(at: Location) -> str:
    words = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in at)
    return words.removeprefix(".")


def read_source(path: Path) -> Source:
    """Raises ConfigurationRefused and ConfigurationUnreadable."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_BYTES + 1)
    except OSError as error:
        raise ConfigurationUnreadable(path, error.strerror or type(error).__name__) from error
    if len(content) > LARGEST_BYTES:
        raise ConfigurationUnreadable(path, f"it is larger than {LARGEST_BYTES >> 20} MiB")
    try:
        return parsed_source(path, content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise ConfigurationRefused(
            path, [Problem(line, "", "not UTF-8 text; save the file as UTF-8")]
        ) from error


def parsed_source(path: Path, text: str) -> Source:
    """Raises ConfigurationRefused."""
    try:
        return _read(_Loader(text), path)
    except yaml.YAMLError as error:
        raise ConfigurationRefused(path, [_of_yaml(error, text)]) from error


def _read(loader: "_Loader", path: Path) -> Source:
    root = loader.get_single_node()
    if root is None:
        raise ConfigurationRefused(path, [Problem(1, "", "the file is empty; begin with `version: 1`")])
    source = Source(path)
    reading = _Reading(loader, source)
    source.value = reading.value(root, ())
    if reading.problems:
        raise ConfigurationRefused(path, reading.problems)
    return source


class _Refused(yaml.YAMLError):
    """`problem_mark` as errors of the library have it."""

    def __init__(self, problem: str, event: yaml.Event) -> None:
        super().__init__(problem)
        self.problem = problem
        self.problem_mark = event.start_mark


class _Loader(yaml.SafeLoader):
    """Without aliases, which multiply what a small file holds, and neither deep nor with too many values."""

    _depth = 0
    _count = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event: yaml.Event = self.peek_event()  # type: ignore[no-untyped-call]
        self._count += 1
        if isinstance(event, yaml.AliasEvent):
            raise _Refused("aliases (*name) aren't allowed; write the value out", event)
        if self._depth >= DEEPEST:
            raise _Refused(f"more than {DEEPEST} levels deep", event)
        if self._count > MOST_VALUES:
            raise _Refused(f"more than {MOST_VALUES:,} values", event)
        self._depth += 1
        try:
            node: yaml.Node | None = super().compose_node(parent, index)
        finally:
            self._depth -= 1
        return node


class _Reading:
    def __init__(self, loader: _Loader, source: Source) -> None:
        self._loader = loader
        self._source = source
        self.problems = list[Problem]()

    def value(self, node: yaml.Node, at: Location) -> Any:
        self._source.lines.setdefault(at, node.start_mark.line + 1)
        if node.tag not in TAGS:
            self._add(node, at, f"the tag {node.tag} isn't allowed")
            return None
        if isinstance(node, yaml.MappingNode):
            return dict(self._pairs(node, at))
        if isinstance(node, yaml.SequenceNode):
            return [self.value(each, (*at, number)) for number, each in enumerate(node.value)]
        try:
            found = self._loader.construct_object(node)
        except ValueError:
            self._add(node, at, "not a number or date; put it in quotes if it is text")
            return None
        if reason := _why_not(found):
            self._add(node, at, reason)
            return None
        return found

    def _pairs(self, node: yaml.MappingNode, at: Location) -> Iterator[tuple[str, Any]]:
        seen = set[str]()
        for key_node, value_node in node.value:
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else None
            if key is None or _why_not(key):
                self._add(key_node, at, "a key must be a word")
            elif key in seen:
                self._add(key_node, (*at, key), "given twice")
            else:
                seen.add(key)
                self._source.lines[(*at, key)] = key_node.start_mark.line + 1
                yield key, self.value(value_node, (*at, key))

    def _add(self, node: yaml.Node, at: Location, reason: str) -> None:
        self.problems.append(Problem(node.start_mark.line + 1, dotted(at), reason))


def _why_not(found: Any) -> str:
    """Why a scalar isn't taken; empty: it is."""
    if isinstance(found, str):
        if HALF_CHARACTERS.search(found):
            return "contains half a surrogate pair"
        if CONTROLS.search(found):
            return "contains a control character"
        return ""
    if isinstance(found, float) and not math.isfinite(found):
        return "not a finite number"
    if found is None or isinstance(found, bool | int | float):
        return ""
    return f"read as a {type(found).__name__}; put it in quotes if it is text"


def _of_yaml(error: yaml.YAMLError, text: str) -> Problem:
    mark = getattr(error, "problem_mark", None)
    said = getattr(error, "problem", None) or getattr(error, "reason", None) or "can't be parsed"
    position = getattr(error, "position", None)
    line = mark.line + 1 if mark else text[: position or 0].count("\n") + 1
    return Problem(line, "", str(said) if isinstance(error, _Refused) else f"not valid YAML: {said}")
