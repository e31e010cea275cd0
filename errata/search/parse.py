"""Text to a search. Raises SearchError and nothing else, whatever the text."""

import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from errata.search.error import SearchError
from errata.search.keys import BY_NAME, CHOICE_ALIASES, Key, Kind
from errata.search.moments import moment_term
from errata.search.pattern import Pattern
from errata.search.search import Search
from errata.search.terms import (
    RESERVED,
    Choices,
    Has,
    Number,
    Operator,
    People,
    Releases,
    Tags,
    Term,
    Texts,
    Words,
)
from errata.search.tokens import Token, Value, tokens

MOST_TERMS = 40
MOST_VALUES = 100
LONGEST = 2000
LONGEST_VALUE = 500
NUMBER = re.compile(r"([0-9]{1,15})([km]?)", re.ASCII | re.IGNORECASE)
FACTORS = {"": 1, "k": 1_000, "m": 1_000_000}
UNSEARCHABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
IDS = {
    "trace": re.compile(r"[0-9a-fA-F]{32}"),
    "event": re.compile(r"[0-9a-fA-F]{32}"),
    "issue": re.compile(r"[0-9a-fA-F]{1,16}"),
}
PERSON = re.compile(r"me|none|[^\s@]+@[^\s@]+")


def parse(text: str) -> Search:
    try:
        return _parsed(text)
    except SearchError as error:
        if error.suggestion and not _leads_on(text, error):
            raise error.without_suggestion() from error
        raise


def _leads_on(text: str, error: SearchError) -> bool:
    """Whether what is suggested is not refused in its turn; a later mistake has its own message."""
    try:
        _parsed(text[: error.position] + error.suggestion + text[error.end :])
    except SearchError as next_error:
        return next_error.position >= error.position + len(error.suggestion)
    return True


def _parsed(text: str) -> Search:
    if len(text) > LONGEST:
        raise SearchError(f"a search has at most {LONGEST:,} characters", LONGEST, len(text))
    if match := UNSEARCHABLE.search(text):
        raise SearchError("this character can't be searched", match.start(), match.end())
    terms: list[Term] = []
    before: Token | None = None
    for token in (cut := tokens(text)):
        if len(terms) == MOST_TERMS:
            raise SearchError(f"a search has at most {MOST_TERMS} terms", token.start, token.end)
        if _is_reserved(token):
            raise _no_such_word(text, before, token, _next(cut))
        terms.append(_term(text, token))
        before = token
    return Search(tuple(terms))


def _is_reserved(token: Token) -> bool:
    """`OR` and `AND` as other languages have them; in quotes or negated they are words."""
    if token.key or token.is_negated or token.values[0].is_quoted:
        return False
    return token.values[0].pattern.text in RESERVED


def _next(cut: Iterator[Token]) -> Token | None:
    try:
        return next(cut, None)
    except SearchError:
        return None


def _no_such_word(text: str, before: Token | None, word: Token, after: Token | None) -> SearchError:
    """What is suggested says the same with the terms on both sides, where that can be said."""
    quoted = "to search for the word, put it in quotes"
    is_and = word.values[0].pattern.text == "AND"
    if is_and:
        said = f"terms are always combined with “and”; remove the word; {quoted}"
    else:
        said = f"OR isn't supported; list several values, such as browser:[Chrome, Firefox]; {quoted}"
    if before is None or after is None or _is_reserved(after):
        return SearchError(said, word.start, word.end)
    meant = ""
    if is_and:
        meant = f"{text[before.start : before.end]} {text[after.start : after.end]}"
    elif before.key and before.key == after.key and before.is_tag == after.is_tag:
        meant = _either(text, before, after)
    return (
        SearchError(said, before.start, after.end, meant)
        if meant
        else SearchError(said, word.start, word.end)
    )


def _either(text: str, before: Token, after: Token) -> str:
    """Both values in one list; empty where the terms are of a kind that has none."""
    if any(token.is_negated or token.operator or not token.values for token in (before, after)):
        return ""
    values = [text[value.start : value.end] for token in (before, after) for value in token.values]
    return f"{f'tags[{before.key}]' if before.is_tag else before.key}:[{', '.join(values)}]"


def _term(text: str, token: Token) -> Term:
    key = None if token.is_tag else BY_NAME.get(token.key)
    if not token.key:
        return _words(text, token)
    if not token.values:
        return _without_value(text, token, key)
    _limited(token)
    if key is None:
        return Tags(token.is_negated, token.key, _patterns(text, token))
    return READERS[key.kind](text, token, key)


def _words(text: str, token: Token) -> Term:
    (value,) = token.values
    return Words(token.is_negated, value.pattern)


def _without_value(text: str, token: Token, key: Key | None) -> Term:
    """`KeyError: 'x'` pasted from a title is words; a known key without a value is a mistake."""
    if token.is_list:
        raise SearchError("the list is empty", token.start, token.end)
    if key is None and not token.is_tag:
        return Words(token.is_negated, Pattern.exact(text[token.start + token.is_negated : token.end]))
    what = f": {key.meaning}" if key else ""
    example = f"{'!' * token.is_negated}{token.key}:{key.values[0]}" if key and key.values else ""
    raise SearchError(f"after {token.key}: missing value{what}", token.start, token.end, example)


def _limited(token: Token) -> None:
    if len(token.values) > MOST_VALUES:
        raise SearchError(f"a list has at most {MOST_VALUES} values", token.start, token.end)
    for value in token.values:
        if len(value.pattern.text) > LONGEST_VALUE:
            raise SearchError(f"a value has at most {LONGEST_VALUE} characters", value.start, value.end)


def _patterns(text: str, token: Token) -> tuple[Pattern, ...]:
    """Where nothing is compared by order, a sign in front belongs to the value."""
    if not token.operator:
        return tuple(value.pattern for value in token.values)
    if token.is_list or token.values[0].is_quoted:
        raise SearchError(f"{token.key} has no order; {token.operator} can't be used", token.start, token.end)
    (value,) = token.values
    first, *rest = value.pattern.parts
    return (Pattern((token.operator + first, *rest)),)


def _texts(text: str, token: Token, key: Key) -> Term:
    patterns = _patterns(text, token)
    for value, pattern in zip(token.values, patterns, strict=True):
        if (
            key.values
            and not pattern.has_wildcard
            and pattern.text.lower() not in key.values
            and pattern.text
        ):
            near = _nearest(pattern.text, key.values)
            if near:
                raise SearchError(
                    f"{pattern.text} is not a value of {key.name}", value.start, value.end, near
                )
    return Texts(token.is_negated, key.name, patterns)


def _releases(text: str, token: Token, key: Key) -> Term:
    operator = _operator(token)
    patterns = tuple(value.pattern for value in token.values)
    if operator is not Operator.EQUAL and (len(patterns) > 1 or patterns[0].has_wildcard):
        raise SearchError(f"{token.operator} needs a single release, without *", token.start, token.end)
    return Releases(token.is_negated, key.name, operator, patterns)


def _number(text: str, token: Token, key: Key) -> Term:
    value = _only(token)
    match = NUMBER.fullmatch(value.pattern.text)
    if match is None or value.pattern.has_wildcard:
        raise SearchError(
            f"{key.name} needs a number, such as {key.name}:>100", value.start, value.end, "100"
        )
    return Number(token.is_negated, key.name, _operator(token), int(match[1]) * FACTORS[match[2].lower()])


def _moment(text: str, token: Token, key: Key) -> Term:
    value = _only(token)
    term = moment_term(key.name, _operator(token), value.pattern.text, token.is_negated)
    if term is None or value.pattern.has_wildcard:
        known = "-24h or +7d" if key.name == "age" else "-24h, +7d, >2026-11-01 or >=2026-11-01T08:00"
        # With an operator an age has no sign.
        meant = "24h" if key.name == "age" and token.operator.strip("=") else "-24h"
        raise SearchError(
            f"{key.name} needs a duration or a time, such as {known}", value.start, value.end, meant
        )
    return term


def _person(text: str, token: Token, key: Key) -> Term:
    _without_operator(token)
    people = []
    for value in token.values:
        person = value.pattern.text
        if not PERSON.fullmatch(person) or value.pattern.has_wildcard:
            raise SearchError(f"{key.name}: use me, none or an email address", value.start, value.end, "me")
        people.append(person)
    return People(token.is_negated, key.name, tuple(people))


def _choice(text: str, token: Token, key: Key) -> Term:
    _without_operator(token)
    chosen = []
    for value in token.values:
        word = value.pattern.text.lower()
        word = CHOICE_ALIASES.get(word, word)
        if word not in key.values or value.pattern.has_wildcard:
            known = ", ".join(key.values)
            near = _nearest(word, key.values)
            raise SearchError(f"{key.name}: use one of {known}", value.start, value.end, near)
        chosen.append(word)
    return Choices(token.is_negated, key.name, tuple(chosen))


def _has(text: str, token: Token, key: Key) -> Term:
    _without_operator(token)
    return Has(token.is_negated, tuple(value.pattern for value in token.values))


def _ids(text: str, token: Token, key: Key) -> Term:
    _without_operator(token)
    for value in token.values:
        digits = value.pattern.text.replace("-", "")
        if value.pattern.has_wildcard or not IDS[key.name].fullmatch(digits):
            raise SearchError(f"{key.name} needs an ID of hexadecimal digits", value.start, value.end)
    return Texts(token.is_negated, key.name, tuple(value.pattern for value in token.values))


def _only(token: Token) -> Value:
    if len(token.values) != 1:
        raise SearchError(f"{token.key} accepts only one value", token.start, token.end)
    return token.values[0]


def _operator(token: Token) -> Operator:
    return Operator(token.operator.removeprefix("=") if token.operator == "=" else token.operator)


def _without_operator(token: Token) -> None:
    if token.operator not in ("", "="):
        raise SearchError(f"{token.key} has no order; {token.operator} can't be used", token.start, token.end)


def _nearest(word: str, known: Sequence[str]) -> str:
    found = difflib.get_close_matches(word.lower(), known, n=1, cutoff=0.6)
    return found[0] if found else ""


READERS: Mapping[Kind, Callable[[str, Token, Key], Term]] = {
    Kind.TEXT: _texts,
    Kind.RELEASE: _releases,
    Kind.NUMBER: _number,
    Kind.MOMENT: _moment,
    Kind.PERSON: _person,
    Kind.CHOICE: _choice,
    Kind.HAS: _has,
    Kind.ID: _ids,
}
