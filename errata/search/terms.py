"""The terms of a search. Each can be written again as text that is read as the same term."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from errata.search.pattern import Pattern

UNITS = {
    "s": timedelta(seconds=1),
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}
RESERVED = frozenset({"OR", "AND"})


class Operator(StrEnum):
    EQUAL = ""
    GREATER = ">"
    AT_LEAST = ">="
    LESS = "<"
    AT_MOST = "<="


@dataclass(frozen=True)
class Term:
    is_negated: bool

    @property
    def written(self) -> str:
        return ("!" if self.is_negated else "") + self._positive

    @property
    def _positive(self) -> str:
        raise NotImplementedError


@dataclass(frozen=True)
class Words(Term):
    """A word, or several in quotes, that the issue's title, culprit or type holds."""

    pattern: Pattern

    @property
    def _positive(self) -> str:
        text = self.pattern.written
        is_bare = not text.startswith('"')
        # As it stands it would be read as a term with a key, or as a word of other languages.
        return f'"{text}"' if is_bare and (":" in text or text in RESERVED) else text


@dataclass(frozen=True)
class Texts(Term):
    """A field of the closed list that is one of these."""

    key: str
    patterns: tuple[Pattern, ...]

    @property
    def _positive(self) -> str:
        return f"{self.key}:{_listed(self.patterns)}"


@dataclass(frozen=True)
class Tags(Term):
    """A tag that is one of these."""

    name: str
    patterns: tuple[Pattern, ...]

    @property
    def _positive(self) -> str:
        return f"tags[{self.name}]:{_listed(self.patterns)}"


@dataclass(frozen=True)
class Has(Term):
    """Any of these fields or tags, whatever its value."""

    names: tuple[Pattern, ...]

    @property
    def _positive(self) -> str:
        return f"has:{_listed(self.names)}"


@dataclass(frozen=True)
class Choices(Term):
    """`is`, `priority`, `handled`: one of a closed list."""

    key: str
    values: tuple[str, ...]

    @property
    def _positive(self) -> str:
        return f"{self.key}:{_listed(tuple(map(Pattern.exact, self.values)))}"


@dataclass(frozen=True)
class People(Term):
    """`me` and `none` keep their words: who that is, is known when the search runs."""

    key: str
    people: tuple[str, ...]

    @property
    def _positive(self) -> str:
        return f"{self.key}:{_listed(tuple(map(Pattern.exact, self.people)))}"


@dataclass(frozen=True)
class Releases(Term):
    """With an operator by the order of releases; there is one pattern then."""

    key: str
    operator: Operator
    patterns: tuple[Pattern, ...]

    @property
    def _positive(self) -> str:
        return f"{self.key}:{self.operator}{_listed(self.patterns)}"


@dataclass(frozen=True)
class Number(Term):
    key: str
    operator: Operator
    number: int

    @property
    def _positive(self) -> str:
        return f"{self.key}:{self.operator}{self.number}"


@dataclass(frozen=True)
class Moments(Term):
    """Since and until, half-open; None: no bound on that side."""

    key: str
    since: datetime | None
    until: datetime | None
    text: str

    @property
    def _positive(self) -> str:
        return f"{self.key}:{self.text}"


@dataclass(frozen=True)
class Age(Term):
    """Within the last span of time (`-24h`), or longer ago (`+24h`)."""

    key: str
    is_within: bool
    count: int
    unit: str

    @property
    def span(self) -> timedelta:
        return self.count * UNITS[self.unit]

    @property
    def _positive(self) -> str:
        return f"{self.key}:{'-' if self.is_within else '+'}{self.count}{self.unit}"


def _listed(patterns: tuple[Pattern, ...]) -> str:
    if len(patterns) == 1:
        return patterns[0].written
    return f"[{', '.join(pattern.written for pattern in patterns)}]"
