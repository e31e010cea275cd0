"""What must not leave the process: values of sensitive keys, wherever they stand in a payload."""

import json
import operator
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

FILTERED = "[FILTERED]"

# Matched against a key written `_like_this_`.
_SENSITIVE = re.compile(
    r"passw|passphrase|secret|apikey|api_key|accesstoken|authtoken|creditcard|sessionid"
    r"|_(passwd|pwd|mysqlpwd|token|jwt|bearer|authorization|authentication|credentials?|cookies?|csrf|csrftoken|xsrf)_"
    r"|_(cvv|cvc|ccv|iban|ssn|cardnumber|card_(number|no|cvc|code)|credit_card|security_code|pin_?code|phpsessid)_"
    r"|_(private_?key|access_?key|signing_key|encryption_key|auth_key|user_session|session_id|connect_sid)_"
    r"|^_+(auth|session|pin|symfony)_$"
)
# Counts of language-model tokens and the like are figures, not secrets.
_HARMLESS = re.compile(r"_(max|min|input|output|total|prompt|completion|reasoning|cached)_token_")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SEPARATORS = re.compile(r"[^a-z0-9]+")

# Strings under these keys are URLs, query strings and form bodies: name=value pairs.
_PAIR_KEYS = frozenset(
    {"url", "url.full", "http.url", "query", "query_string", "url.query", "http.query"}
    | {"data", "body", "referer", "location", "from", "to"}
)
_PAIR = re.compile(r"([?&;]|^)([^=&;?#\s]{1,200})=([^&;#\s]*)")
_LISTED_KEYS = frozenset({"headers", "query_string", "data"})
# The SDK's own notes: they name keys and hold no values.
_LEFT_ALONE = frozenset({"_meta", "sdk", "modules", "debug_meta"})
_NOTHING = (None, True, False, "None")


@lru_cache(maxsize=8192)
def is_sensitive(key: str) -> bool:
    words = f"_{_SEPARATORS.sub('_', _CAMEL.sub('_', key).lower())}_"
    return bool(_SENSITIVE.search(words)) and not _HARMLESS.search(words)


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
    if key.lower() in _PAIR_KEYS:
        return _body if key == "data" else _query
    return _listed if key in _LISTED_KEYS else None


def _hidden(value: Any) -> Any:
    if isinstance(value, dict) and value.keys() == {"value", "type"}:
        # A typed attribute of a span keeps its shape.
        return {"value": FILTERED, "type": "string"}
    return value if value in _NOTHING else FILTERED


def _hidden_cookies(value: Any) -> Any:
    """Names of cookies stay: they help, and tell nothing."""
    return dict.fromkeys(value, FILTERED) if isinstance(value, dict) else _hidden(value)


def _query(value: Any) -> Any:
    if isinstance(value, str):
        return _PAIR.sub(_without_value, value) if "=" in value else value
    return _listed(value)


def _without_value(match: re.Match[str]) -> str:
    opener, name, _ = match.groups()
    return f"{opener}{name}={FILTERED}" if is_sensitive(name) else match.group()


def _body(value: Any) -> Any:
    if not isinstance(value, str) or value[:1] not in ("{", "["):
        return _query(value)
    try:
        return json.dumps(scrubbed(json.loads(value)), ensure_ascii=False)
    except (ValueError, RecursionError):
        # A body cut off at its limit: no telling where a value ends.
        return FILTERED if _SENSITIVE.search(value.lower()) else value


def _listed(value: Any) -> Any:
    """Headers and query strings also come as lists of name and value."""
    if not isinstance(value, list | tuple):
        return scrubbed(value)
    return [[entry[0], _entry(*entry)] if _is_pair(entry) else scrubbed(entry) for entry in value]


def _is_pair(entry: Any) -> bool:
    return isinstance(entry, list | tuple) and len(entry) == 2 and isinstance(entry[0], str)


# Objects printed as text hold keys of their own: `{'password': 'x'}`, `Login(token="x")`, `?token=x`,
# `(b'authorization', b'Bearer x')`.
# A name is begun at its first character alone, so that a long one is gone through once.
_PRINTED = re.compile(
    r"""((?<![\w.-])"""
    r"""(?=[\w.-]*?(?:passw|passphrase|secret|token|api[_-]?key|authorization|card_?number|cvv|cvc))[\w.-]+"""
    r"""|\bcookie(?=['"]))"""
    r"""(?:(['"]?\s*[:=]\s*b?|',\sb?)(['"])(?:(?!\3).)*\3|=[^\s&;,'"()\[\]{}]+)""",
    re.IGNORECASE | re.DOTALL,
)
# What each of the names above has in it.
_PRINTED_WORDS = (
    *("passw", "passphrase", "secret", "token", "authorization"),
    *("cookie", "card", "cvv", "cvc", "api"),
)
# The rest of the name that such a word is in, in JSON in lower case, and what follows where a string may have
# something printed in it. The quote at the end of a key is not escaped.
_REST_OF_NAME = re.compile(r"(?:[\w.-]|\\u[0-9a-f]{4})*")
_PRINTED_AFTER = re.compile(
    r"""(?:(?:\\"|')?(?:\s|\\[a-z]|\\u[0-9a-f]{4})*[:=]|',)(?:\s|\\[a-z]|\\u[0-9a-f]{4})*b?(?:\\"|')|=(?!\[filtered)"""
)
# Source code is shown as it is written.
_SOURCE = frozenset({"context_line", "pre_context", "post_context"})


def printed_words(text: str) -> tuple[str, ...]:
    """The words for which `without_printed_secrets`, which costs more than all the rest, has to look.

    The text is that of a JSON document; source code in it makes for words that are in no other string.
    """
    lowered = text.lower()
    return tuple(word for word in _PRINTED_WORDS if _is_printed(word, lowered))


def _is_printed(word: str, lowered: str) -> bool:
    at = lowered.find(word)
    while at >= 0:
        rest = _REST_OF_NAME.match(lowered, at + len(word))
        end = rest.end() if rest else at + len(word)
        if _PRINTED_AFTER.match(lowered, end):
            return True
        # What follows the same name follows the word wherever else it is in it.
        at = lowered.find(word, end)
    return False


def _without_printed(match: re.Match[str]) -> str:
    name, opener, quote = match.groups()
    return f"{name}={FILTERED}" if quote is None else f"{name}{opener}{quote}{FILTERED}{quote}"


def without_printed_secrets(value: Any, words: tuple[str, ...]) -> Any:
    """The value with secrets inside of printed objects replaced too; itself if it has none."""
    if isinstance(value, str):
        return _without_printed_in(value, words)
    if isinstance(value, dict):
        changed = {
            key: clean
            for key, inner in value.items()
            if key not in _SOURCE
            and key not in _LEFT_ALONE
            and (clean := without_printed_secrets(inner, words)) is not inner
        }
        return {**value, **changed} if changed else value
    if isinstance(value, (list, tuple)):
        cleaned = [without_printed_secrets(inner, words) for inner in value]
        return value if all(map(operator.is_, cleaned, value)) else cleaned
    return value


def _without_printed_in(text: str, words: tuple[str, ...]) -> str:
    # A name is set apart from its value by one of these.
    if "=" in text or ":" in text or "'," in text:
        lowered = text.lower()
        for word in words:
            if word in lowered:
                return _PRINTED.sub(_without_printed, text)
    return text
