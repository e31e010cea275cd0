"""A walk through the objects of a payload: values under sensitive names and secrets in texts are replaced in
place."""

import re
from collections.abc import Set
from typing import Any

import msgspec
from errata_wire.secret_text import (
    FILTERED,
    NOWHERE,
    SMALLEST_CARD_NUMBER,
    SOURCE_LINES,
    Places,
    hide_named,
    hide_paired,
    is_nothing,
    is_span_id,
)

from errata.scrubbing.bounds import DEEPEST, MOST_SUSPECTS, Allowance, TooDeep
from errata.scrubbing.rules import OF_THE_PROTOCOL, RULES, ScrubbingRules
from errata.scrubbing.scan import LONGEST_WORD, suspects

NUMBERS = (int, float)
PLAIN_NAME = re.compile(r"[A-Za-z_.$-]{1,60}")
COOKIE_WORD = re.compile(rf"[A-Za-z_-]{{0,{LONGEST_WORD}}}")
KEY_BEGINS, KEY_ENDS, KEY = "-----BEGIN ", "-----END ", "PRIVATE KEY"
NOTHING: Set[str] = frozenset()

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode


class Walk:
    """Through what a section holds. `strings` are those to look into; None: all."""

    def __init__(
        self, rules: ScrubbingRules, strings: Set[str] | None, allowance: Allowance, has_names: bool = True
    ) -> None:
        self._rules = rules
        self._allowance = allowance
        self._all = strings is None
        self._strings = strings or NOTHING
        self._has_names = has_names
        self._has_own = rules.patterns is not None
        self._has_key = any(KEY in text for text in self._strings)

    def entries(self, node: dict[str, Any], depth: int, places: Places = NOWHERE) -> dict[str, Any]:
        """The object itself, scrubbed but for ids in their places."""
        if depth > DEEPEST:
            raise TooDeep
        is_sensitive, strings, every, has_names, has_own = (
            self._rules.is_sensitive,
            self._strings,
            self._all,
            self._has_names,
            self._has_own,
        )
        if self._has_key and "context_line" in node:
            _hide_key_of_source(node)
        for key, value in node.items():
            kind = type(value)
            if has_names and is_sensitive(key):
                is_jar = kind is dict and key.lower() == "cookies"
                stored = self._without_cookies(value) if is_jar else self._hidden(value)
                if stored is not value:
                    node[key] = stored
                    continue
            if kind is str:
                if (every or value in strings) and not is_span_id(places, key, value):
                    if has_own and key in OF_THE_PROTOCOL:
                        node[key] = self._clean(value, False, RULES)
                    else:
                        node[key] = self._text(value, key in SOURCE_LINES, depth)
            elif kind is dict:
                node[key] = self.entries(value, depth + 1, places.get(key, NOWHERE))
            elif kind is list:
                self.elements(value, depth + 1, key in SOURCE_LINES, places.get(key, NOWHERE))
            elif (
                (kind is int and value >= SMALLEST_CARD_NUMBER) or (has_own and kind in NUMBERS)
            ) and self._rules.is_secret_number(value, key in OF_THE_PROTOCOL):
                node[key] = FILTERED
        if has_names:
            hide_named(node, is_sensitive, self._hidden)
        return self._renamed(node, depth) if every or not strings.isdisjoint(node) else node

    def elements(self, node: list[Any], depth: int, is_source: bool, places: Places = NOWHERE) -> None:
        if depth > DEEPEST:
            raise TooDeep
        if self._has_key:
            _hide_key_lines(node)
        for position, value in enumerate(node):
            kind = type(value)
            if kind is str:
                if self._all or value in self._strings:
                    node[position] = self._text(value, is_source, depth)
            elif kind is dict:
                node[position] = self.entries(value, depth + 1, places)
            elif kind is list:
                self.elements(value, depth + 1, is_source)
            elif (
                (kind is int and value >= SMALLEST_CARD_NUMBER) or (self._has_own and kind in NUMBERS)
            ) and self._rules.is_secret_number(value):
                node[position] = FILTERED
        if self._has_names and not is_source:
            hide_paired(node, self._rules.is_sensitive, self._hidden)

    def _hidden(self, value: Any) -> Any:
        """`[FILTERED]` for what may be a secret; the value itself where it is kept or says there is none."""
        if self._rules.keeps(value):
            return value
        if type(value) is str:
            return value if is_nothing(value.strip("'\"")) else FILTERED
        if not value or value is True:
            return value
        if type(value) is dict and value.keys() == {"value", "type"}:
            # A typed attribute of a span keeps its shape.
            inner = self._hidden(value["value"])
            return value if inner is value["value"] else {"value": FILTERED, "type": "string"}
        return FILTERED

    def _without_cookies(self, jar: dict[str, Any]) -> dict[str, Any]:
        """Cookies keep their names, and under a harmless name a value that is a word."""
        for name, value in jar.items():
            if type(value) is not str or not COOKIE_WORD.fullmatch(value):
                jar[name] = self._hidden(value)
        return jar

    def _renamed(self, node: dict[str, Any], depth: int) -> dict[str, Any]:
        names = {key: self._name(key, depth) for key in node if self._all or key in self._strings}
        if all(key == name for key, name in names.items()):
            return node
        return {names.get(key, key): value for key, value in node.items()}

    def _name(self, key: str, depth: int) -> str:
        if self._has_own and PLAIN_NAME.fullmatch(key):
            # Of letters alone it is a name, whatever a project's patterns match.
            return self._clean(key, False, RULES)
        return self._text(key, False, depth)

    def _text(self, text: str, is_source: bool, depth: int) -> str:
        if not is_source and text[:1] in ("{", "[") and depth < DEEPEST:
            structured = self._json(text, depth)
            if structured is not None:
                return structured
        return self._clean(text, is_source, self._rules)

    def _clean(self, text: str, is_source: bool, rules: ScrubbingRules) -> str:
        if rules.keeps(text):
            return text
        # Where not all are looked into, those that are have been found to be suspect.
        if (not self._all or self._is_suspect(text)) and not self._allowance.take(text):
            return FILTERED
        return rules.clean(text, is_source)

    def _is_suspect(self, text: str) -> bool:
        patterns = self._rules.patterns
        return bool(suspects(_encode(text))) or (patterns is not None and patterns.may_be_in(text))

    def _json(self, text: str, depth: int) -> str | None:
        """A text that is JSON itself, scrubbed; None if it is not, or nothing in it was replaced."""
        try:
            decoded = _decode(text)
            before = _encode(decoded)
            if len(suspects(before)) > MOST_SUSPECTS:
                return FILTERED
            walk = Walk(self._rules, None, self._allowance)
            if isinstance(decoded, dict):
                decoded = walk.entries(decoded, depth + 1)
            elif isinstance(decoded, list):
                walk.elements(decoded, depth + 1, False)
        except (msgspec.DecodeError, UnicodeError, RecursionError, TooDeep):
            return None
        after = _encode(decoded)
        return after.decode() if after != before else None


def _hide_key_of_source(frame: dict[str, Any]) -> None:
    before, line, after = frame.get("pre_context"), frame["context_line"], frame.get("post_context")
    first = before if isinstance(before, list) else []
    lines = [*first, line, *(after if isinstance(after, list) else ())]
    _hide_key_lines(lines)
    if isinstance(before, list):
        frame["pre_context"] = lines[: len(first)]
    frame["context_line"] = lines[len(first)]
    if isinstance(after, list):
        frame["post_context"] = lines[len(first) + 1 :]


def _hide_key_lines(lines: list[Any]) -> None:
    """A private key of several lines, each an element of the list; it may begin before the first."""
    if not any(type(line) is str and KEY in line for line in lines):
        return
    is_inside, hidden = False, 0
    for position, line in enumerate(lines):
        if type(line) is not str:
            continue
        begins, ends = KEY_BEGINS in line, KEY_ENDS in line
        if ends and not begins and not is_inside:
            before = lines[hidden:position]
            lines[hidden:position] = [FILTERED if type(one) is str and one else one for one in before]
            hidden = position
        if begins or ends or is_inside:
            lines[position] = FILTERED
        is_inside = (is_inside or begins) and not ends
