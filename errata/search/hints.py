"""What may have gone wrong with a search that finds nothing."""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass

from errata.search.keys import BY_NAME
from errata.search.search import Search
from errata.search.terms import Tags, Term, Texts

COMMON = {"app": "service", "host": "server", "user_id": "user.id", "email": "user.email", "status": "is"}


@dataclass(frozen=True, slots=True)
class Hint:
    """`query` is the search as it may have been meant; empty: there is nothing to click."""

    words: str
    query: str = ""


def hints(search: Search) -> list[Hint]:
    return list(_hints(search))


def _hints(search: Search) -> Iterator[Hint]:
    for number, term in enumerate(search.terms):
        if isinstance(term, Tags) and not term.is_negated:
            meant = _meant(term.name)
            said = f'"{term.name}" isn\'t a known field; searched tags.'
            yield Hint(said, _with(search, number, meant, term) if meant else "")
        elif isinstance(term, Texts) and any(len(pattern.parts) == 1 for pattern in term.patterns):
            yield Hint(f"{term.key} matches whole values; put * around a part to match it.")


def _meant(name: str) -> str:
    if name.lower() in COMMON:
        return COMMON[name.lower()]
    found = difflib.get_close_matches(name.lower(), list(BY_NAME), n=1, cutoff=0.75)
    return BY_NAME[found[0]].name if found else ""


def _with(search: Search, number: int, key: str, term: Tags) -> str:
    text = term.written.replace(f"tags[{term.name}]:", f"{key}:", 1)
    terms: list[Term | str] = [*search.terms]
    terms[number] = text
    return " ".join(each if isinstance(each, str) else each.written for each in terms)
