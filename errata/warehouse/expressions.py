"""Typed expressions of SQL: column names are checked, and values are bound as parameters, never text.

An expression other than a condition is a column or a call, so it needs no parentheses anywhere.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from typing import Any, ClassVar, Generic, NoReturn, Self, TypeVar
from uuid import UUID

COLUMN = re.compile(r"[a-z_]+(\.[a-z_]+)?", re.ASCII)
Python = TypeVar("Python")


@dataclass(frozen=True)
class Value:
    """A value to bind, with its type in the warehouse; an array is a tuple."""

    type: str
    value: Any


@dataclass(frozen=True)
class Expression:
    """Pieces of SQL text with values to bind between them, and the columns and tables it reads."""

    parts: tuple[str | Value, ...]
    columns: frozenset[str] = frozenset()
    inputs: frozenset[str] = frozenset()

    @classmethod
    def column(cls, name: str) -> Self:
        if not COLUMN.fullmatch(name):
            raise ValueError(f"{name!r} is not a column name")
        return cls((name,), frozenset({name}))

    @classmethod
    def _of(cls, *pieces: "str | Value | Expression") -> Self:
        parts: list[str | Value] = []
        columns, inputs = frozenset[str](), frozenset[str]()
        for piece in pieces:
            if isinstance(piece, Expression):
                parts += piece.parts
                columns |= piece.columns
                inputs |= piece.inputs
            else:
                parts.append(piece)
        return cls(tuple(parts), columns, inputs)


class Condition(Expression):
    def __and__(self, other: "Condition") -> "Condition":
        return all_of([self, other])

    def __or__(self, other: "Condition") -> "Condition":
        return any_of([self, other])

    def __invert__(self) -> "Condition":
        return Condition._of("not (", self, ")")

    @property
    def ever(self) -> "Condition":
        """True for a group of rows if the condition is true for one of them."""
        return Condition._of("max(", self, ")")

    def __bool__(self) -> NoReturn:
        # `since <= column < until` and `not condition` would silently drop half of the expression.
        raise TypeError("a condition is neither true nor false: connect conditions with &, | and ~")


ALWAYS, NEVER = Condition(("true",)), Condition(("false",))


def all_of(conditions: Iterable[Condition]) -> Condition:
    """The conjunction of the conditions; `ALWAYS` if there is none."""
    return _joined("and", [each for each in conditions if each != ALWAYS], ALWAYS)


def any_of(conditions: Iterable[Condition]) -> Condition:
    """The disjunction of the conditions; `NEVER` if there is none."""
    return _joined("or", [*conditions], NEVER)


def _joined(word: str, conditions: Sequence[Condition], of_none: Condition) -> Condition:
    """The conditions in one flat call: the engine's parser refuses deep nesting."""
    if len(conditions) < 2:
        return conditions[0] if conditions else of_none
    between = (piece for condition in conditions for piece in (f") {word} (", condition))
    return Condition._of("(", *islice(between, 1, None), ")")


class Comparable(Expression, Generic[Python]):
    """An expression whose values are `Python` here and `TYPE` in the warehouse."""

    TYPE: ClassVar[str]

    def __lt__(self, value: Python) -> Condition:
        return self._compared("<", value)

    def __le__(self, value: Python) -> Condition:
        return self._compared("<=", value)

    def __gt__(self, value: Python) -> Condition:
        return self._compared(">", value)

    def __ge__(self, value: Python) -> Condition:
        return self._compared(">=", value)

    def one_of(self, values: Iterable[Python]) -> Condition:
        return Condition._of(self, " in ", Value(f"Array({self.TYPE})", tuple(map(self._bound, values))))

    def among(self, rows: Expression) -> Condition:
        """True for values among `rows`, a statement that selects one column."""
        return Condition._of(self, " in (", rows, ")")

    def _compared(self, operator: str, value: Python) -> Condition:
        return Condition._of(self, f" {operator} ", Value(self.TYPE, self._bound(value)))

    def _bound(self, value: Python) -> Any:
        return value


class Number(Comparable[int]):
    TYPE = "UInt64"

    @property
    def is_present(self) -> Condition:
        return Condition._of(self, " != 0")


class Moment(Comparable[datetime]):
    TYPE = "DateTime64(3, 'UTC')"

    def _bound(self, value: datetime) -> str:
        return value.astimezone(UTC).replace(tzinfo=None).isoformat(" ", "milliseconds")


class Uuid(Comparable[UUID]):
    TYPE = "UUID"

    def _bound(self, value: UUID) -> str:
        return str(value)


class Text(Comparable[str]):
    TYPE = "String"

    @property
    def is_present(self) -> Condition:
        return Condition._of(self, " != ''")

    @property
    def folded(self) -> "Text":
        """The text in lower case."""
        return Text._of("lowerUTF8(", self, ")")

    @property
    def after_last_at(self) -> "Text":
        """The part after the last @; of a text without one, the whole."""
        return Text._of("arrayElement(splitByChar('@', ", self, "), -1)")

    def like(self, pattern: str) -> Condition:
        return Condition._of(self, " like ", Value("String", pattern))

    def contains(self, part: str) -> Condition:
        return Condition._of("position(", self, ", ", Value("String", part), ") > 0")

    def contains_all(self, words: Iterable[str]) -> Condition:
        """True if the text contains each of the words, letter case aside."""
        # A lambda over the words would copy the text of each row first.
        return all_of(
            Condition._of("positionCaseInsensitiveUTF8(", self, ", ", Value("String", word), ") > 0")
            for word in dict.fromkeys(words)
        )


def spaced(first: Text, *texts: Text) -> Text:
    """The texts one after the other, with a space between."""
    return Text._of("concat(", first, *(piece for text in texts for piece in (", ' ', ", text)), ")")


class Texts(Expression):
    """A list of texts."""

    @property
    def is_present(self) -> Condition:
        return Condition._of("notEmpty(", self, ")")

    def any(self, condition: Callable[[Text], Condition]) -> Condition:
        """True if one of the texts meets the condition."""
        return Condition._of("arrayExists(text -> ", condition(Text(("text",))), ", ", self, ")")


class TextMap(Expression):
    """Texts by name, such as tags."""

    def __getitem__(self, name: str) -> Text:
        """The text of this name; empty if there is none."""
        return Text._of(self, "[", Value("String", name), "]")

    def has(self, name: str) -> Condition:
        return Condition._of("mapContains(", self, ", ", Value("String", name), ")")

    @property
    def names(self) -> Texts:
        return Texts._of("mapKeys(", self, ")")


@dataclass
class Bindings:
    """The values that the expressions of one statement bind."""

    names: dict[Value, str] = field(default_factory=dict)

    @property
    def parameters(self) -> dict[str, Any]:
        return {
            name: list(bound.value) if isinstance(bound.value, tuple) else bound.value
            for bound, name in self.names.items()
        }

    def text(self, expression: Expression) -> str:
        """The expression as SQL."""
        return "".join(part if isinstance(part, str) else self._bind(part) for part in expression.parts)

    def _bind(self, bound: Value) -> str:
        # Equal values share a name: a statement has at most a thousand.
        name = self.names.setdefault(bound, f"value_{len(self.names)}")
        return f"{{{name}:{bound.type}}}"
