"""Fields of recorded pages whose values are secrets, as the page names them."""

import re
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from typing import Any

import msgspec
import re2
from errata_wire.secret_text import is_nothing

from errata.scrubbing import FILTERED, ScrubbingRules, TooLarge, TooManySuspects
from errata.scrubbing.one_by_one import CONTAINERS_MAX, OBJECTS_MAX_BYTES
from errata.scrubbing.scan import is_plainly_written, options

# rrweb's types of events, and a source of its changes.
FULL_SNAPSHOT, INCREMENTAL = 2, 3
INPUT = 5
NAMING = frozenset({"name", "id", "autocomplete", "placeholder", "title", "aria-label"})
# Set by rrweb on an input that was of type password once.
WAS_PASSWORD = "data-rr-is-password"
LONGEST_NAME = 100
# Of `password_field`, the field is the secret.
OF_FIELD = re.compile(r"(?:fields?|required|names?)\W{0,9}$", re.IGNORECASE)
SEPARATORS = " _.-[:"
# Nobody types into them.
NOT_TYPED = frozenset({"submit", "button", "reset", "image", "checkbox", "radio"})
# Of an input event, a changed text, a text node.
VALUES = ("text", "value", "textContent")
# More secret fields of a page are not looked for by their ids.
NAMED_MAX = 200
# Events of a segment: two seconds.
LOOKED_INTO_MAX = 100_000
_STRING = r'"(?:[^"\\]|\\.)*"'
# Among the attributes that changed: no list begins before it.
_CHANGED_VALUE = re2.compile(rf'"attributes"\s*:\s*\{{(?:[^\[\]"]|{_STRING})*"value"'.encode(), options())

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode


class Kind(msgspec.Struct, gc=False):
    type: int


_decode_kind = msgspec.json.Decoder(Kind).decode


class SecretInputs:
    """The secret fields of a segment, by rrweb's ids of nodes: an input event names no more. Before the first
    snapshot of the segment any node may be one of them."""

    def __init__(self, rules: ScrubbingRules) -> None:
        self._rules = rules
        self._names = _search_for(rules.names.pattern.pattern)
        self._ids: set[int] = set()
        self._text_areas: set[int] = set()
        self._is_page_known = False
        self._left = LOOKED_INTO_MAX

    def note(self, event: bytes) -> None:
        """Learns the secret fields of an event. One that is secret once is secret in the entire segment: a
        password may be shown later."""
        has_texts = bool(self._text_areas) and b'"parentId"' in event
        is_plain = b"\\" not in event or is_plainly_written(event)
        if is_plain and not (has_texts or self._has_names(event)):
            return
        decoded = self._decoded(event)
        for node in _objects(decoded):
            number, attributes = node.get("id"), node.get("attributes")
            if type(attributes) is dict and type(number) is int and self._is_secret(attributes):
                self._ids.add(number)
                if node.get("tagName") == "textarea":
                    self._text_areas.add(number)
                    self._ids.update(_text_ids(node.get("childNodes")))
        if self._text_areas:
            for node in _objects(decoded):
                if type(parent := node.get("parentId")) is int and parent in self._text_areas:
                    self._ids.update(_text_ids([node.get("node")]))

    def filtered(self, event: bytes) -> bytes:
        """The event without what secret fields hold; after all events were noted."""
        kind = _decode_kind(event).type
        if kind == FULL_SNAPSHOT:
            self._is_page_known = True
        is_unknown = kind == INCREMENTAL and not self._is_page_known and _may_change_a_field(event)
        if not (is_unknown or self._mentions(event)):
            return event
        decoded = self._decoded(event)
        hidden = [self._hide_in(node) for node in _objects(decoded)]
        if is_unknown:
            self._hide_unknown(decoded.get("data"))
        return _encode(decoded) if is_unknown or any(hidden) else event

    @cached_property
    def _mentions(self) -> Callable[[bytes], Any]:
        """Whether an event may be about a secret field."""
        if len(self._ids) > NAMED_MAX:
            return lambda event: b'"id"' in event
        numbers = "|".join(map(str, sorted(self._ids)))
        pattern = rf'"id"\s*:\s*(?:{numbers})\b'.encode()
        return re2.compile(pattern, options()).search if numbers else lambda _: False

    def _decoded(self, event: bytes) -> dict[str, Any]:
        """Raises TooLarge, TooManySuspects and msgspec.DecodeError."""
        if len(event) > OBJECTS_MAX_BYTES or event.count(b"{") + event.count(b"[") > CONTAINERS_MAX:
            raise TooLarge
        self._left -= 1
        if self._left < 0:
            raise TooManySuspects
        decoded: dict[str, Any] = _decode(event)
        return decoded

    def _has_names(self, event: bytes) -> bool:
        return b'"attributes"' in event and self._names(event) is not None

    def _is_secret(self, attributes: dict[str, Any]) -> bool:
        kind = str(attributes.get("type")).strip().lower()
        if kind == "password" or WAS_PASSWORD in attributes:
            return True
        return kind not in NOT_TYPED and any(
            self._is_secret_name(value)
            for name, value in attributes.items()
            if type(value) is str and (name in NAMING or name.startswith("data-"))
        )

    def _is_secret_name(self, name: str) -> bool:
        if len(name) > LONGEST_NAME:
            return False
        of_field = OF_FIELD.search(name)
        is_sensitive = self._rules.is_sensitive
        return is_sensitive(name) or (
            of_field is not None and is_sensitive(name[: of_field.start()].rstrip(SEPARATORS))
        )

    def _hide_in(self, node: dict[str, Any]) -> bool:
        """Whether the object is about a secret field."""
        number, attributes = node.get("id"), node.get("attributes")
        if type(number) is not int or number not in self._ids:
            return False
        self._hide(node, *VALUES)
        if type(attributes) is dict:
            self._hide(attributes, *filter(_is_value, attributes))
        return True

    def _hide_unknown(self, data: Any) -> None:
        if type(data) is not dict:
            return
        if data.get("source") == INPUT:
            self._hide(data, "text")
        changes = data.get("attributes")
        for change in changes if type(changes) is list else ():
            attributes = change.get("attributes") if type(change) is dict else None
            if type(attributes) is dict:
                self._hide(attributes, "value")

    def _hide(self, values: dict[str, Any], *names: str) -> None:
        for name in names:
            value = values.get(name)
            if type(value) in (str, int, float) and not (is_nothing(str(value)) or self._rules.keeps(value)):
                values[name] = FILTERED


@lru_cache(maxsize=256)
def _search_for(names: str) -> Any:
    """Where in an event attributes may name a field as secret."""
    attributes = "|".join(map(re.escape, sorted(NAMING)))
    pattern = rf'"(?:{WAS_PASSWORD}"|(?:type|{attributes}|data-[^"\\]*)"\s*:\s*"(?:[^"\\]|\\.)*(?:{names}))'
    return re2.compile(f"(?i){pattern}".encode(), options()).search


def _may_change_a_field(event: bytes) -> bool:
    return b'"text"' in event or _CHANGED_VALUE.search(event) is not None


def _is_value(name: str) -> bool:
    return name == "content" or name.lower().endswith("value")


def _text_ids(nodes: Any) -> Iterator[int]:
    for node in nodes if type(nodes) is list else ():
        if type(node) is dict and type(node.get("id")) is int and "textContent" in node:
            yield node["id"]


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if type(node) is dict:
            yield node
            node = node.values()
        waiting += [inner for inner in node if type(inner) in (dict, list)]
