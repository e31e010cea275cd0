"""What must not leave the process: values of sensitive keys, wherever they stand in a payload."""

import json
import operator
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from errata_sdk.secret_text import FILTERED, WORDS, is_sensitive, without_secrets

_LISTED_KEYS = frozenset({"headers", "query_string"})
# The SDK's own notes: they name keys and hold no values.
_LEFT_ALONE = frozenset({"_meta", "sdk", "modules", "debug_meta"})
_NOTHING = (None, "None")


_CONTAINERS = (dict, list)


def scrubbed(value: Any) -> Any:
    """The value with everything sensitive replaced; the value itself is left as it is."""
    if isinstance(value, dict):
        clean = {}
        # In line what `_entry` does: there are thousands of entries in an event.
        for key, inner in value.items():
            treatment = _treatment(key)
            if treatment is not None:
                clean[key] = treatment(inner)
            else:
                clean[key] = scrubbed(inner) if isinstance(inner, _CONTAINERS) else inner
        return clean
    if isinstance(value, (list, tuple)):
        return [scrubbed(inner) if isinstance(inner, _CONTAINERS) else inner for inner in value]
    return value


def _entry(key: Any, value: Any) -> Any:
    treatment = _treatment(key)
    if treatment is not None:
        return treatment(value)
    return scrubbed(value) if isinstance(value, _CONTAINERS) else value


@lru_cache(maxsize=8192)
def _treatment(key: Any) -> Callable[[Any], Any] | None:
    """What is done to the value under a key, if anything."""
    if not isinstance(key, str):
        return None
    if key in _LEFT_ALONE:
        return lambda value: value
    if is_sensitive(key):
        return _hidden_cookies if key.lower() == "cookies" else _hidden
    if key == "data":
        return _body
    return _listed if key in _LISTED_KEYS else None


def _hidden(value: Any) -> Any:
    if isinstance(value, dict) and value.keys() == {"value", "type"}:
        # A typed attribute of a span keeps its shape.
        return {"value": FILTERED, "type": "string"}
    return value if isinstance(value, bool) or value in _NOTHING else FILTERED


def _hidden_cookies(value: Any) -> Any:
    """Names of cookies stay: they help, and tell nothing."""
    return dict.fromkeys(value, FILTERED) if isinstance(value, dict) else _hidden(value)


def _body(value: Any) -> Any:
    if not isinstance(value, str) or value[:1] not in ("{", "["):
        return _listed(value)
    try:
        return json.dumps(scrubbed(json.loads(value)), ensure_ascii=False)
    except (ValueError, RecursionError):
        # A body cut off at its limit: no telling where a value ends.
        return FILTERED if without_secrets(value) != value else value


def _listed(value: Any) -> Any:
    """Headers and query strings also come as lists of name and value."""
    if not isinstance(value, list | tuple):
        return scrubbed(value)
    return [[entry[0], _entry(*entry)] if _is_pair(entry) else scrubbed(entry) for entry in value]


def _is_pair(entry: Any) -> bool:
    return isinstance(entry, list | tuple) and len(entry) == 2 and isinstance(entry[0], str)


# Source code is shown as it is written, but for what it holds in quotes.
_SOURCE = frozenset({"context_line", "pre_context", "post_context"})
# Numbers of cards, accounts and social security, and tokens, which have no word: in JSON and in texts.
_FORMS = "\0"
_GAP = r"(?:[ ._\u00a0\u202f-]|\\u00a0|\\u202f)?"
_WORDLESS = re.compile(
    rf"(?<!\d)[2-6]\d{{3}}{_GAP}\d{{4,6}}{_GAP}\d{{4}}"
    r"|[A-Z]{2}\d\d(?:[A-Z0-9]{11}| [A-Z0-9]{4} [A-Z0-9]{4})|\d{3}-\d\d-\d{4}"
    r"|pat[A-Za-z0-9]{14}\.|re_[A-Za-z0-9]{8}_|[0-9a-f]-us\d|\.[\w-]{6}\.[\w-]{27}"
)


def printed_words(text: str) -> tuple[str, ...]:
    """The words of secrets in a JSON document: only strings with one of them are looked through. `_FORMS`
    stands for forms without a word."""
    lowered = text.lower()
    wordless = (_FORMS,) if _WORDLESS.search(text) else ()
    return (*(word for word in WORDS if word in lowered), *wordless)


def without_printed_secrets(value: Any, words: tuple[str, ...], *, is_source: bool = False) -> Any:
    """The value with secrets inside of texts replaced too; itself if it has none."""
    if isinstance(value, str):
        lowered = value.lower()
        return (
            without_secrets(value, is_source=is_source)
            if any(word in lowered for word in words) or (_FORMS in words and _WORDLESS.search(value))
            else value
        )
    if isinstance(value, dict):
        changed = {
            key: clean
            for key, inner in value.items()
            if (clean := without_printed_secrets(inner, words, is_source=key in _SOURCE)) is not inner
        }
        return {**value, **changed} if changed else value
    if isinstance(value, (list, tuple)):
        cleaned = [without_printed_secrets(inner, words, is_source=is_source) for inner in value]
        return value if all(map(operator.is_, cleaned, value)) else cleaned
    return value
