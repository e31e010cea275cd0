"""What must not leave the process: values of sensitive names and secrets in texts, wherever in a payload they
stand."""

import json
import math
from functools import lru_cache
from typing import Any

from errata_wire.secret_text import (
    FILTERED,
    NAMES_OF_OTHERS,
    NOWHERE,
    SMALLEST_CARD_NUMBER,
    SOURCE_LINES,
    Places,
    hide_named,
    hide_paired,
    is_card_number,
    is_sensitive,
    is_span_id,
    suspects,
    without_secrets,
)

# Of one program most texts are the same in every event: lines of source, names, messages.
HARMLESS_MAX, HARMLESS_LENGTH_MAX = 16_384, 200
# Texts in which no secret was found, and those of source lines.
HARMLESS: tuple[set[str], set[str]] = (set(), set())


def scrubbed(value: Any, places: Places = NOWHERE) -> Any:
    """The value with everything sensitive replaced but ids in these places; the value itself is left as it
    is."""
    texts: tuple[set[str], set[str]] = (set(), set())
    clean = (
        _entries(value, texts, True, NAMES_OF_OTHERS)
        if isinstance(value, dict)
        else _copy(value, texts, False, True)
    )
    replaced = _replaced(texts[False], False), _replaced(texts[True], True)
    return _with_texts(clean, replaced, False, places) if replaced[False] or replaced[True] else clean


def _copy(value: Any, texts: tuple[set[str], set[str]], is_source: bool, has_names: bool) -> Any:
    """What JSON can say, without values of sensitive names; all texts of it are put among the others."""
    if isinstance(value, str):
        texts[is_source].add(value)
        return value
    if isinstance(value, dict):
        return _entries(value, texts, has_names)
    if isinstance(value, list | tuple):
        items = [_copy(inner, texts, is_source, has_names) for inner in value]
        if has_names and not is_source:
            hide_paired(items, is_sensitive, _hidden)
        return items
    if isinstance(value, float):
        # JSON has no NaN and no infinity: they become their names.
        return value if math.isfinite(value) else repr(value)
    if value is None or isinstance(value, int):
        return FILTERED if value and value >= SMALLEST_CARD_NUMBER and is_card_number(str(value)) else value
    return _copy(repr(value), texts, is_source, has_names)


def _entries(
    node: dict[Any, Any],
    texts: tuple[set[str], set[str]],
    has_names: bool,
    of_others: frozenset[str] = frozenset(),
) -> dict[str, Any]:
    clean: dict[str, Any] = {}
    for key, inner in node.items():
        name, is_secret = _name(key if isinstance(key, str) else str(key))
        if is_secret and has_names:
            is_jar = isinstance(inner, dict) and name.lower() == "cookies"
            # Names of cookies stay: they help, and tell nothing.
            stored = {_name(str(one))[0]: FILTERED for one in inner} if is_jar else _hidden(inner)
            if stored is not inner:
                clean[name] = stored
                continue
        body = _body(inner) if name == "data" else inner
        clean[name] = _copy(body, texts, name in SOURCE_LINES, has_names and name not in of_others)
    if has_names:
        hide_named(clean, is_sensitive, _hidden)
    return clean


@lru_cache(maxsize=8192)
def _name(name: str) -> tuple[str, bool]:
    """As it is written, and whether its value is a secret."""
    return without_secrets(name), is_sensitive(name)


def _hidden(value: Any) -> Any:
    if isinstance(value, dict) and value.keys() == {"value", "type"}:
        # A typed attribute of a span keeps its shape.
        return {"value": FILTERED, "type": "string"}
    return value if isinstance(value, bool) or value in (None, "None") else FILTERED


def _body(value: Any) -> Any:
    """A body that was cut off at its limit: no telling where a value in it ends."""
    if isinstance(value, str) and value[:1] in ("{", "[") and _json(value) is None:
        return FILTERED if without_secrets(value) != value else value
    return value


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _replaced(texts: set[str], is_source: bool) -> dict[str, str]:
    """What is written for those of the texts that hold secrets."""
    harmless = HARMLESS[is_source]
    new = texts - harmless
    replaced = {text: clean for text in suspects(new) if (clean := _clean(text, is_source)) != text}
    if len(harmless) > HARMLESS_MAX:
        harmless.clear()
    harmless.update([text for text in new if len(text) <= HARMLESS_LENGTH_MAX and text not in replaced])
    return replaced


def _clean(text: str, is_source: bool) -> str:
    if not is_source and text[:1] in ("{", "["):
        before = _json(text)
        if before is not None and (after := scrubbed(before)) != before:
            return json.dumps(after, ensure_ascii=False)
    return without_secrets(text, is_source=is_source)


def _with_texts(
    value: Any, replaced: tuple[dict[str, str], dict[str, str]], is_source: bool, places: Places
) -> Any:
    if isinstance(value, str):
        return replaced[is_source].get(value, value)
    if isinstance(value, dict):
        return {
            name: inner
            if is_span_id(places, name, inner)
            else _with_texts(inner, replaced, name in SOURCE_LINES, places.get(name, NOWHERE))
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [_with_texts(inner, replaced, is_source, places) for inner in value]
    return value
