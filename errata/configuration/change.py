"""One thing that applying a file does, or would do."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

LONGEST_VALUE = 80


class Sign(StrEnum):
    """`LEFT`: stored, and not in the file."""

    CREATE = "+"
    CHANGE = "~"
    DELETE = "-"
    LEFT = "!"


@dataclass(frozen=True)
class Change:
    sign: Sign
    words: str
    run: Callable[[], None]

    def __str__(self) -> str:
        return f"{self.sign.value} {self.words}"


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Each field that differs, with both values."""
    names = dict.fromkeys((*before, *after))
    return [
        f"{name} {_shown(before.get(name))} -> {_shown(after.get(name))}"
        for name in names
        if before.get(name) != after.get(name)
    ]


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        text = _listed((f"{name}: {_shown(each)}" for name, each in value.items()), "{}")
    elif isinstance(value, list | tuple):
        text = _listed(map(_shown, value), "[]")
    elif isinstance(value, bool):
        text = str(value).lower()
    elif value is None:
        text = "none"
    else:
        text = f'"{value}"' if isinstance(value, str) else f"{value:,}"
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"


def _listed(words: Iterable[str], brackets: str) -> str:
    return f"{brackets[0]}{', '.join(words)}{brackets[1]}"
