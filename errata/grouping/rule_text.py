"""The text people write project rules in: `matchers -> fingerprint` and `matchers +app`, one rule a line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from difflib import get_close_matches

from errata.errors import ErrataError
from errata.grouping.explicit import DEFAULT, MAX_PART, MAX_PARTS
from errata.grouping.matcher import SCOPES, Condition, Matcher, Scope
from errata.grouping.rules import FingerprintRule, GroupingRules, InAppRule, Part, Variable
from errata.grouping.sent_fields import NAMES, PREFIXES

MAX_TEXT = 65_536
MAX_RULES = 500
MAX_MATCHERS = 16
MAX_PATTERN = 256

_ALIASES = {
    "error.type": "type",
    "exception.type": "type",
    "value": "message",
    "error.value": "message",
    "exception.value": "message",
    "stack.module": "module",
    "stack.function": "function",
    "file": "path",
    "filename": "path",
    "stack.abs_path": "path",
    "stack.filename": "path",
    "stack.app": "app",
    "in_app": "app",
    "sdk.name": "sdk",
    "request.url": "url",
    "request.method": "method",
    "error.mechanism": "mechanism",
    "error.handled": "handled",
}
_KNOWN = sorted({*SCOPES, *NAMES, *_ALIASES})
_NOT_VARIABLES = frozenset({"app", "family", "fingerprint"})

_SPACE = re.compile(r"[ \t\r]*")
_WORD = re.compile(r"[^ \t\r]{1,40}")
_FIELD = re.compile(r"(!?)([A-Za-z_][\w.-]{0,199}):")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_BARE = re.compile(r'[^\s"]\S*')
_ACTION = re.compile(r"([+-])(\S+)")
_BARE_PART = re.compile(r'(?:\{\{[^{}]*\}\}|[^\s,"{}]|[{}])+')
_VARIABLE = re.compile(r"\{\{\s*(?:([\w.-]+)\s*)?\}\}")


@dataclass(frozen=True, slots=True)
class RuleProblem:
    """Where the text cannot be understood, both counted from 1, and why."""

    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.message}"


class RulesNotUnderstood(ErrataError):
    """Grouping rules that cannot be read as they are written."""

    code = "grouping_rules_not_understood"

    def __init__(self, problems: list[RuleProblem]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = tuple(problems)


class _Misread(Exception):
    def __init__(self, position: int, message: str) -> None:
        super().__init__(message)
        self.position = position
        self.message = message


def parse_rules(text: str) -> GroupingRules:
    """Raises RulesNotUnderstood with every line that cannot be read."""
    if len(text) > MAX_TEXT:
        raise RulesNotUnderstood([RuleProblem(1, 1, f"rules may have {MAX_TEXT:,} characters together")])
    rules: list[FingerprintRule | InAppRule] = []
    problems: list[RuleProblem] = []
    for number, line in enumerate(text.split("\n"), 1):
        try:
            rule = _Reader(line).rule()
        except _Misread as misread:
            problems.append(RuleProblem(number, misread.position + 1, misread.message))
            continue
        if rule is not None and len(rules) == MAX_RULES:
            problems.append(RuleProblem(number, 1, f"a project may have {MAX_RULES} rules"))
            break
        rules += [rule] if rule is not None else []
    if problems:
        raise RulesNotUnderstood(problems)
    return GroupingRules(
        tuple(rule for rule in rules if isinstance(rule, FingerprintRule)),
        tuple(rule for rule in rules if isinstance(rule, InAppRule)),
    )


@dataclass
class _Reader:
    """One line, read from left to right."""

    line: str
    position: int = field(default=0)

    def rule(self) -> FingerprintRule | InAppRule | None:
        if self._at_end():
            return None
        matchers: list[Matcher] = []
        positions: list[int] = []
        while not self._at_end() and not self._starts("->") and not self._starts("+", "-", "^", "v+", "v-"):
            positions.append(self.position)
            matchers.append(self._matcher())
        if not matchers:
            raise _Misread(self.position, "start a rule with a matcher, such as type:KeyError")
        if len(matchers) > MAX_MATCHERS:
            raise _Misread(positions[MAX_MATCHERS], f"a rule may have {MAX_MATCHERS} matchers")
        if self._starts("->"):
            self.position += 2
            parts = self._parts()
            return FingerprintRule(self._read(), Condition(tuple(matchers)), parts)
        in_app = self._action()
        for matcher, position in zip(matchers, positions, strict=True):
            if matcher.scope is not Scope.FRAME and matcher.name not in ("platform", "family"):
                said = "+app and -app match frames by module, function, path, app, platform and family"
                raise _Misread(position, f"{said}, not by {matcher.name}")
        return InAppRule(self._read(), tuple(matchers), in_app)

    def _at_end(self) -> bool:
        self._skip_space()
        return self.position >= len(self.line) or self.line[self.position] == "#"

    def _read(self) -> str:
        return self.line[: self.position].strip()

    def _skip_space(self) -> None:
        match = _SPACE.match(self.line, self.position)
        self.position = match.end() if match else self.position

    def _starts(self, *marks: str) -> bool:
        return self.line.startswith(marks, self.position)

    def _matcher(self) -> Matcher:
        start = self.position
        match = _FIELD.match(self.line, start)
        if not match:
            word = _WORD.findall(self.line, start)[0]
            raise _Misread(start, f"expected field:pattern, -> or +app/-app, found {word!r}")
        name = _field_name(match[2], start + len(match[1]))
        self.position = match.end()
        pattern_at = self.position
        pattern = self._pattern()
        if len(pattern) > MAX_PATTERN:
            raise _Misread(pattern_at, f"a pattern may have {MAX_PATTERN} characters")
        if name == "path" and any("**" in part != "**" and "**" in part for part in pattern.split("/")):
            raise _Misread(pattern_at, "** matches whole folders: write **/*.js, not **.js")
        if name in ("app", "handled") and pattern.lower() not in ("yes", "no", "1", "0", "true", "false"):
            raise _Misread(pattern_at, f"{name} must be yes or no")
        if name in ("app", "handled"):
            pattern = "yes" if pattern.lower() in ("yes", "1", "true") else "no"
        return Matcher(name, pattern, bool(match[1]))

    def _pattern(self) -> str:
        if self._starts('"'):
            return self._quoted()
        match = _BARE.match(self.line, self.position)
        if not match:
            raise _Misread(self.position, 'missing pattern; write "" to match an empty field')
        self.position = match.end()
        return match[0]

    def _quoted(self) -> str:
        match = _QUOTED.match(self.line, self.position)
        if not match:
            raise _Misread(self.position, 'the quote is not closed: expected "')
        self.position = match.end()
        if self.position < len(self.line) and self.line[self.position] not in " \t\r,#":
            raise _Misread(self.position, "expected a space after the quote")
        return match[1].replace('\\"', '"')

    def _action(self) -> bool:
        match = _ACTION.match(self.line, self.position)
        if self._at_end() or not match or match[2] != "app":
            raise _Misread(self.position, "end the rule with -> and a fingerprint, or with +app or -app")
        self.position = match.end()
        if not self._at_end():
            raise _Misread(self.position, f"nothing can follow {match[0]}")
        return match[1] == "+"

    def _parts(self) -> tuple[Part, ...]:
        parts: list[Part] = []
        while not self._at_end():
            if len(parts) == MAX_PARTS:
                raise _Misread(self.position, f"a fingerprint may have {MAX_PARTS} parts")
            parts.append(self._part())
            self._skip_space()
            if self._starts(","):
                self.position += 1
                if self._at_end():
                    raise _Misread(self.position, "missing part after the comma")
        if not parts:
            raise _Misread(self.position, "missing fingerprint after ->, such as database-down")
        return tuple(parts)

    def _part(self) -> Part:
        start = self.position
        if self._starts('"'):
            text = self._quoted()
        else:
            match = _BARE_PART.match(self.line, start)
            if not match:
                raise _Misread(start, "missing part of the fingerprint")
            text, self.position = match[0], match.end()
        if len(text) > MAX_PART:
            raise _Misread(start, f"a part may have {MAX_PART} characters")
        if not text:
            raise _Misread(start, "empty part of the fingerprint")
        return _pieces(text, start)


def _field_name(written: str, position: int) -> str:
    name = _ALIASES.get(written, written)
    if name in SCOPES or name in NAMES or (name.startswith(PREFIXES) and not name.endswith(".")):
        return name
    near = get_close_matches(written, _KNOWN, 1)
    meant = f": did you mean {near[0]}?" if near else f", only {', '.join(sorted({*SCOPES, *NAMES}))}"
    raise _Misread(position, f"unknown field {written[:60]}{meant}")


def _pieces(text: str, position: int) -> Part:
    pieces: list[str | Variable] = []
    end = 0
    for match in _VARIABLE.finditer(text):
        pieces += [text[end : match.start()]] if match.start() > end else []
        end = match.end()
        if match[1] == "default":
            if match[0] != text:
                raise _Misread(position, f"{DEFAULT} must be a separate part: put commas around it")
            return (DEFAULT,)
        name = _field_name(match[1] or "", position + match.start())
        if name in _NOT_VARIABLES:
            raise _Misread(position + match.start(), f"{name} can't be used in a fingerprint")
        pieces.append(Variable(name))
    rest = text[end:]
    if "{{" in rest or "}}" in rest:
        raise _Misread(position, "a variable is written {{ name }}")
    return tuple([*pieces, rest] if rest else pieces)
