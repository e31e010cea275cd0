"""Every regular expression of a program, how it is used, and texts that make a backtracking one slow."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from re import _parser as parser
from types import ModuleType
from typing import Any

METHODS = ("match", "fullmatch", "search", "sub", "split", "findall", "finditer")
Pattern = re.Pattern[str] | re.Pattern[bytes]


@dataclass(frozen=True)
class Found:
    """A pattern of a module; `methods` are those called on its name: none where a loop goes through many."""

    name: str
    pattern: Pattern
    methods: tuple[str, ...]


def patterns_of(*programs: str) -> list[Found]:
    """Those at the top of a module, alone or in a tuple or a dictionary."""
    found: dict[str, Found] = {}
    for program in programs:
        package = importlib.import_module(program)
        names = [program, *(each.name for each in pkgutil.walk_packages(package.__path__, f"{program}."))]
        modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
        uses = _uses(modules)
        for module in modules:
            for name, value in vars(module).items():
                for place, pattern in _within(value):
                    if _is_of(module, name):
                        whole = f"{module.__name__}.{name}"
                        methods = tuple(sorted(uses.get(whole, ())))
                        found[whole + place] = Found(whole + place, pattern, methods)
    return list(found.values())


def _is_of(module: ModuleType, name: str) -> bool:
    """Whether the module assigns the name rather than importing it."""
    text = Path(module.__file__ or "").read_text()
    return re.search(rf"^{re.escape(name)}\b[^\n(]*=", text, re.M) is not None


def _within(value: Any, place: str = "") -> Iterator[tuple[str, Pattern]]:
    if isinstance(value, re.Pattern):
        yield place, value
    elif isinstance(value, tuple | list):
        for number, each in enumerate(value):
            yield from _within(each, f"{place}[{number}]")
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from _within(each, f"{place}[{key}]")


def _uses(modules: Sequence[ModuleType]) -> dict[str, set[str]]:
    """By whole name of a pattern: the methods called on it, in its module or where it is imported."""
    uses: dict[str, set[str]] = {}
    for module in modules:
        tree = ast.parse(Path(module.__file__ or "").read_text())
        imported = {
            alias.asname or alias.name: f"{node.module}.{alias.name}"
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in METHODS and isinstance(node.value, ast.Name):
                name = node.value.id
                uses.setdefault(imported.get(name, f"{module.__name__}.{name}"), set()).add(node.attr)
    return uses


def attacks(pattern: Pattern) -> Iterator[tuple[str, str, str]]:
    """What comes first, what is repeated, and what comes last."""
    tree = parser.parse(pattern.pattern, pattern.flags)
    pieces = list(dict.fromkeys(_pieces(tree)))[:60]
    starts = list(dict.fromkeys(["", *_starts(tree)]))[:12]
    for start in starts:
        for piece in pieces:
            for end in ("", "\x00", "!\n"):
                yield start, piece, end


def _pieces(tree: Any) -> Iterator[str]:
    """Characters and bodies of the pattern, and two of them together."""
    yield from ("a", "0", " ", "/", ".", "a.", "a/", "a0", "-", "\n", "é")
    singles: list[str] = []
    for body in _bodies(tree):
        text = _sample(body)
        if text:
            singles.append(text)
    yield from singles
    whole = _sample(tree)
    if whole:
        yield whole
    for first in singles[:6]:
        for second in singles[:6]:
            if first != second:
                yield first + second


def _starts(tree: Any) -> Iterator[str]:
    """The text before each repetition of the outermost sequence."""
    text = ""
    for node in tree:
        yield text
        text += _sample([node])
    yield text


def _bodies(tree: Any) -> Iterator[Any]:
    for op, argument in tree:
        name = str(op)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            yield argument[2]
            yield from _bodies(argument[2])
        elif name == "SUBPATTERN":
            yield argument[3]
            yield from _bodies(argument[3])
        elif name == "BRANCH":
            for branch in argument[1]:
                yield branch
                yield from _bodies(branch)
        elif name in ("ASSERT", "ASSERT_NOT"):
            yield from _bodies(argument[1])
        elif name == "ATOMIC_GROUP":
            yield from _bodies(argument)
        elif name in ("IN", "LITERAL", "NOT_LITERAL"):
            yield [(op, argument)]


def _sample(tree: Any) -> str:
    return "".join(_text(str(op), argument) for op, argument in tree)


def _text(name: str, argument: Any) -> str:
    if name == "LITERAL":
        return chr(argument)
    if name == "NOT_LITERAL":
        return "a" if argument != ord("a") else "b"
    if name == "ANY":
        return "a"
    if name == "IN":
        return _of_class(argument)
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        return _sample(argument[2]) * max(1, min(int(argument[0]), 30))
    if name == "SUBPATTERN":
        return _sample(argument[3])
    if name == "BRANCH":
        return _sample(argument[1][0])
    return _sample(argument) if name == "ATOMIC_GROUP" else ""


def _of_class(items: Any) -> str:
    is_negated = str(items[0][0]) == "NEGATE"
    candidates = "a0A .-_/:@#$%&=?(){}[]<>'\"\\,;!*+~^|\n\x00é"
    return next((one for one in candidates if any(_is_in(item, one) for item in items) != is_negated), "")


def _is_in(item: Any, character: str) -> bool:
    name, argument = str(item[0]), item[1]
    if name == "LITERAL":
        return bool(ord(character) == argument)
    if name == "RANGE":
        return bool(argument[0] <= ord(character) <= argument[1])
    if name == "CATEGORY":
        category = str(argument)
        word = category.replace("_NOT", "")
        found = {
            "CATEGORY_DIGIT": character.isdigit(),
            "CATEGORY_SPACE": character.isspace(),
            "CATEGORY_WORD": character.isalnum() or character == "_",
        }[word]
        return found != ("_NOT" in category)
    return False
