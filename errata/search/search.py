"""A search: terms that an issue, or one of its events, fulfils all of."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from errata.search.terms import Term

Wanted = TypeVar("Wanted", bound=Term)


@dataclass(frozen=True)
class Search:
    terms: tuple[Term, ...] = ()

    def __str__(self) -> str:
        return " ".join(term.written for term in self.terms)

    def of(self, kind: type[Wanted]) -> Iterator[Wanted]:
        return (term for term in self.terms if isinstance(term, kind))
