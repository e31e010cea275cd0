"""A click on a value: its term comes into the search, or leaves it."""

from collections.abc import Sequence

from errata.search.keys import BY_NAME, Kind
from errata.search.pattern import Pattern
from errata.search.search import Search
from errata.search.terms import Operator, Releases, Tags, Term, Texts


def has_value(search: Search, key: str, is_tag: bool, value: str) -> bool:
    return any(_is_of(term, key, is_tag) and _position(term, value) >= 0 for term in search.terms)


def toggled(search: Search, key: str, is_tag: bool, value: str) -> Search:
    """Several values of one key stand in one list: any of them will do."""
    for number, term in enumerate(search.terms):
        if _is_of(term, key, is_tag):
            changed = _without(term, value) if _position(term, value) >= 0 else _with(term, value)
            return Search((*search.terms[:number], *changed, *search.terms[number + 1 :]))
    return Search((*search.terms, _term(key, is_tag, (Pattern.exact(value),))))


def _is_of(term: Term, key: str, is_tag: bool) -> bool:
    if term.is_negated:
        return False
    if is_tag:
        return isinstance(term, Tags) and term.name == key
    if isinstance(term, Releases):
        return term.key == key and term.operator is Operator.EQUAL
    return isinstance(term, Texts) and term.key == key


def _patterns(term: Term) -> Sequence[Pattern]:
    return term.patterns if isinstance(term, Texts | Tags | Releases) else ()


def _position(term: Term, value: str) -> int:
    wanted = Pattern.exact(value).folded
    return next((n for n, pattern in enumerate(_patterns(term)) if pattern.folded == wanted), -1)


def _with(term: Term, value: str) -> tuple[Term, ...]:
    return (_again(term, (*_patterns(term), Pattern.exact(value))),)


def _without(term: Term, value: str) -> tuple[Term, ...]:
    place = _position(term, value)
    rest = tuple(pattern for number, pattern in enumerate(_patterns(term)) if number != place)
    return (_again(term, rest),) if rest else ()


def _again(term: Term, patterns: tuple[Pattern, ...]) -> Term:
    if isinstance(term, Tags):
        return _term(term.name, True, patterns)
    assert isinstance(term, Texts | Releases)
    return _term(term.key, False, patterns)


def _term(key: str, is_tag: bool, patterns: tuple[Pattern, ...]) -> Term:
    if is_tag:
        return Tags(False, key, patterns)
    if BY_NAME[key].kind is Kind.RELEASE:
        return Releases(False, key, Operator.EQUAL, patterns)
    return Texts(False, key, patterns)
