"""Places where a text can stand in what is sent: those of recorded payloads, and of kinds that none has."""

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tests.captured_replays import captured_replays
from tests.captures import CAPTURED_UNTIL, DATA, GENERATIONS, envelopes, payloads
from tests.secret_catalog import Secret

Path = tuple[str | int, ...]
Payload = dict[str, Any]

_EVENTS = ("python_errors", "javascript_errors", "browser_error_events", "engine_errors", "native_crashes")
# Names of an application's own: a few of them stand for all.
_OWN_NAMES = frozenset(
    "vars modules extra data headers cookies tags env attributes params attrs contexts".split()
)
_OWN_NAMES_MAX = 3
_SOURCE = frozenset({"context_line", "pre_context", "post_context"})
_WITHOUT_NAMES = frozenset({"modules", "sdk", "_meta"})


class Place(NamedTuple):
    item_type: str
    template: Payload
    """What was recorded around the place, by the names of the item's top level."""
    path: Path
    form: str
    """How the secret stands there: of FORMS."""

    @property
    def id(self) -> str:
        names = ".".join("*" if isinstance(step, int) else step for step in self.path)
        return f"{self.item_type} {names} ({self.form})"

    @property
    def is_source(self) -> bool:
        return any(step in _SOURCE for step in self.path)

    @property
    def has_names(self) -> bool:
        """Whether the name before a value can say that it is secret."""
        return self.path[0] not in _WITHOUT_NAMES

    def planted(self, secret: Secret) -> Payload:
        payload: Any = copy.deepcopy(self.template)
        around = payload
        for step in self.path[:-1]:
            around = around[step]
        last = self.path[-1]
        around[last] = FORMS[self.form](around[last], secret)
        planted: Payload = payload
        return planted


def _value(secret: Secret) -> str:
    return secret.gone[0] if secret.name else secret.text


# From what stands at the path, and the secret: what stands there then.
FORMS: dict[str, Callable[[Any, Secret], Any]] = {
    "text": lambda _, secret: secret.text,
    "within a text": lambda before, secret: f"{before} {secret.text} {before}",
    "first": lambda before, secret: [secret.text, *before],
    "middle": lambda before, secret: [*before, "x", secret.text, "y", *before],
    "last": lambda before, secret: [*before, secret.text],
    "alone": lambda _, secret: [secret.text],
    "pair": lambda before, secret: [*before, [secret.name or "note", _value(secret)]],
    "first of a pair": lambda before, secret: [[secret.text, "x"], *before],
    "attribute": lambda before, secret: [
        *before,
        {"key": secret.name or "note", "value": {"stringValue": _value(secret)}},
    ],
    "listed attribute": lambda before, secret: [
        *before,
        {
            "key": "note",
            "value": {"arrayValue": {"values": [{"stringValue": secret.text}, {"stringValue": "x"}]}},
        },
    ],
    "entry": lambda before, secret: {**before, secret.name or "note": _value(secret)},
    "first entry": lambda before, secret: {secret.name or "note": _value(secret), **before},
    "typed entry": lambda before, secret: {
        **before,
        secret.name or "note": {"value": _value(secret), "type": "string"},
    },
    "name": lambda before, secret: {**before, secret.text: 1},
    "first name": lambda before, secret: {secret.text: "x", **before},
}
_OF_TEXTS = ("text", "within a text")
_OF_LISTS = ("first", "middle", "last", "alone", "pair", "first of a pair")
_OF_ATTRIBUTES = ("attribute", "listed attribute")
_OF_OBJECTS = ("entry", "first entry", "typed entry", "name", "first name")


def places() -> list[Place]:
    """Each once, however often it was recorded."""
    found: dict[str, Place] = {}
    own: dict[str, set[str]] = {}
    for item_type, payload in _items():
        for path, value in _walk(payload, ()):
            if _is_one_of_many(path, item_type, own):
                continue
            if isinstance(value, str):
                forms: tuple[str, ...] = _OF_TEXTS
            elif isinstance(value, dict):
                forms = _OF_OBJECTS
            else:
                is_of_attributes = any(isinstance(one, dict) and "key" in one for one in value)
                forms = _OF_ATTRIBUTES if is_of_attributes else _OF_LISTS
            for form in forms:
                place = Place(item_type, {str(path[0]): payload[str(path[0])]}, path, form)
                found.setdefault(place.id, place)
    return list(found.values())


# By these an item is told from others, dated and taken for what it is.
_OF_THE_PROTOCOL = frozenset(
    "event_id trace_id span_id parent_span_id segment_id replay_id replayId replay_start_timestamp timestamp"
    " start_timestamp end_timestamp type platform version sid init started status is_segment source tag"
    " replay_type tagName handled frames values items breadcrumbs exception stacktrace level".split()
)


def saturated(value: Any, secrets: Iterator[Secret], number: int = 0) -> Any:
    """What was recorded, with another secret at every text, in every list and object of it.

    The `number` of the copy chooses the forms."""
    if isinstance(value, dict):
        filled = {
            name: _filled(name, inner, secrets, number + at) for at, (name, inner) in enumerate(value.items())
        }
        return FORMS[_OF_OBJECTS[number % len(_OF_OBJECTS)]](filled, next(secrets))
    if isinstance(value, list):
        filled_list = [saturated(inner, secrets, number + at) for at, inner in enumerate(value)]
        if any(isinstance(inner, dict) for inner in value):
            return filled_list
        return FORMS[_OF_LISTS[number % len(_OF_LISTS)]](filled_list, next(secrets))
    return next(secrets).text if isinstance(value, str) else value


def _filled(name: str, value: Any, secrets: Iterator[Secret], number: int) -> Any:
    if name in _SOURCE or (name in _OF_THE_PROTOCOL and not isinstance(value, dict | list)):
        return value
    if name in _WITHOUT_NAMES:
        return value
    if name in _OF_THE_PROTOCOL and isinstance(value, dict):
        # Nothing is added to what holds the frames.
        return {one: _filled(one, inner, secrets, number) for one, inner in value.items()}
    return saturated(value, secrets, number)


def _walk(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    if path and isinstance(value, str | dict | list):
        yield path, value
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _walk(inner, (*path, name))
    elif isinstance(value, list):
        for position, inner in enumerate(value[:8]):
            yield from _walk(inner, (*path, position))


def _is_one_of_many(path: Path, item_type: str, own: dict[str, set[str]]) -> bool:
    for at, step in enumerate(path[:-1]):
        if step in _OWN_NAMES:
            above = item_type + ".".join("*" if isinstance(one, int) else one for one in path[: at + 1])
            names = own.setdefault(above, set())
            following = str(path[at + 1])
            if following not in names and len(names) >= _OWN_NAMES_MAX:
                return True
            names.add(following)
    return False


def _items() -> Iterator[tuple[str, Payload]]:
    """Types and payloads of items."""
    for name in _EVENTS:
        for number, payload in enumerate(payloads(name)):
            if number % 9 == 0:
                yield "event", payload
    for line in (DATA / "odd_events.jsonl").read_text().splitlines():
        yield "event", json.loads(line)["event"]
    for payload in list(payloads("python_transactions"))[::30]:
        yield "transaction", payload
    for item in payloads("javascript_items"):
        yield item["headers"]["type"], item["payload"]
    for generation in GENERATIONS:
        for envelope in list(envelopes(generation))[::5]:
            for item in envelope["items"]:
                if item.get("payload"):
                    yield item["headers"]["type"], item["payload"]
    for replay in captured_replays(CAPTURED_UNTIL)[::6]:
        for event in replay.events:
            if event["type"] != 2:
                yield "replay_recording", event
    yield from MADE


_OTLP = [
    {"key": "service.name", "value": {"stringValue": "shop"}},
    {"key": "http.url", "value": {"stringValue": "https://shop.example/cart"}},
    {"key": "count", "value": {"intValue": "3"}},
]
_NODE = {
    "type": 2,
    "tagName": "form",
    "attributes": {"action": "/login?x=1", "class": "a", "onsubmit": "go()"},
    "id": 5,
    "childNodes": [
        {"type": 3, "textContent": "Sign in", "id": 6},
        {
            "type": 2,
            "tagName": "input",
            "attributes": {"type": "text", "value": "ann"},
            "childNodes": [],
            "id": 7,
        },
        {"type": 2, "tagName": "a", "attributes": {"href": "/cart?a=b"}, "childNodes": [], "id": 8},
        {"type": 2, "tagName": "style", "attributes": {"_cssText": "a{b:c}"}, "childNodes": [], "id": 9},
    ],
}
MADE: tuple[tuple[str, Payload], ...] = (
    (
        "event",
        {
            "platform": "php",
            "request": {"env": {"REMOTE_ADDR": "x"}, "cookies": [["a", "b"]], "method": "GET"},
        },
    ),
    (
        "event",
        {
            "sentry.interfaces.Http": {
                "url": "/x",
                "headers": {"A": "b"},
                "query_string": "a=b",
                "data": {"a": "b"},
            }
        },
    ),
    ("event", {"sentry.interfaces.Message": {"message": "a %s", "params": ["b"], "formatted": "a b"}}),
    ("event", {"contexts": {"response": {"headers": [["a", "b"]], "cookies": "a=b", "data": {"a": ["b"]}}}}),
    ("event", {"contexts": {"minidump": {"crashpad": {"annotations": {"a": "b"}, "list": ["a", "b"]}}}}),
    (
        "event",
        {"contexts": {"unreal": {"command_line": "Game.exe -a", "login_id": "a", "user_settings": "b"}}},
    ),
    (
        "event",
        {"threads": {"values": [{"id": 1, "name": "main", "stacktrace": {"frames": [{"function": "f"}]}}]}},
    ),
    ("event", {"debug_meta": {"images": [{"code_file": "/a/b", "debug_file": "b.pdb", "type": "elf"}]}}),
    ("event", {"errors": [{"type": "invalid", "name": "a", "value": "b"}], "fingerprint": ["{{ default }}"]}),
    (
        "event",
        {"spans": [{"description": "a", "data": {"db.statement": "b", "list": ["c"]}, "tags": {"a": "b"}}]},
    ),
    (
        "event",
        {"template": {"context_line": "a", "filename": "b"}, "csp": {"document_uri": "/a", "referrer": "/b"}},
    ),
    (
        "transaction",
        {"measurements": {"a": {"value": 1, "unit": "b"}}, "profiles": {"a": ["b"]}, "tags": [["a", "b"]]},
    ),
    (
        "check_in",
        {
            "monitor_slug": "a",
            "status": "ok",
            "environment": "b",
            "release": "c",
            "monitor_config": {"schedule": {"type": "crontab", "value": "* * * * *"}, "timezone": "UTC"},
        },
    ),
    (
        "feedback",
        {"contexts": {"feedback": {"message": "a", "contact_email": "b", "url": "/c", "name": "d"}}},
    ),
    ("user_report", {"event_id": "a", "name": "b", "comments": "c"}),
    ("client_report", {"discarded_events": [{"reason": "a", "category": "b", "quantity": 1}]}),
    (
        "sessions",
        {"aggregates": [{"started": "a", "did": "b"}], "attrs": {"release": "a", "environment": "b"}},
    ),
    ("session", {"sid": "a", "did": "b", "attrs": {"release": "a", "user_agent": "b", "ip_address": "c"}}),
    (
        "log",
        {"items": [{"body": "a", "level": "info", "attributes": {"a": {"value": "b", "type": "string"}}}]},
    ),
    ("log", {"items": [{"body": "a", "attributes": {"list": {"value": ["b", "c"], "type": "array"}}}]}),
    (
        "trace_metric",
        {"items": [{"name": "a", "unit": "b", "attributes": {"a": {"value": "b", "type": "string"}}}]},
    ),
    (
        "span",
        {
            "items": [
                {"name": "GET", "attributes": {"url.full": {"value": "/a", "type": "string"}}, "links": []}
            ]
        },
    ),
    (
        "span",
        {
            "resourceSpans": [
                {
                    "resource": {"attributes": _OTLP},
                    "scopeSpans": [
                        {
                            "spans": [
                                {
                                    "name": "GET",
                                    "attributes": _OTLP,
                                    "events": [{"name": "a", "attributes": _OTLP}],
                                    "status": {"message": "b"},
                                }
                            ]
                        }
                    ],
                }
            ]
        },
    ),
    (
        "log",
        {
            "resourceLogs": [
                {"scopeLogs": [{"logRecords": [{"body": {"stringValue": "a"}, "attributes": _OTLP}]}]}
            ]
        },
    ),
    ("profile_chunk", {"profile": {"frames": [{"function": "f", "abs_path": "/a"}]}, "release": "a"}),
    ("security", {"csp-report": {"document-uri": "/a", "blocked-uri": "/b", "script-sample": "c"}}),
    ("replay_event", {"urls": ["/a", "/b"], "trace_ids": ["a"], "error_ids": ["b"], "tags": {"a": "b"}}),
    ("replay_recording", {"type": 4, "timestamp": 1.8e12, "data": {"href": "/a", "width": 1, "height": 1}}),
    (
        "replay_recording",
        {"type": 2, "timestamp": 1.8e12, "data": {"node": {"type": 0, "childNodes": [_NODE], "id": 1}}},
    ),
    (
        "replay_recording",
        {"type": 3, "timestamp": 1.8e12, "data": {"source": 5, "text": "a", "isChecked": False, "id": 7}},
    ),
    (
        "replay_recording",
        {
            "type": 3,
            "timestamp": 1.8e12,
            "data": {
                "source": 0,
                "texts": [{"id": 6, "value": "a"}],
                "attributes": [
                    {"id": 7, "attributes": {"value": "a", "href": "/b", "style": {"color": "c"}}}
                ],
                "removes": [],
                "adds": [{"parentId": 1, "node": _NODE}],
            },
        },
    ),
    (
        "replay_recording",
        {
            "type": 5,
            "timestamp": 1.8e12,
            "data": {
                "tag": "breadcrumb",
                "payload": {
                    "category": "console",
                    "message": "a",
                    "data": {"arguments": ["a", {"b": "c"}], "url": "/d"},
                },
            },
        },
    ),
    (
        "replay_recording",
        {
            "type": 5,
            "timestamp": 1.8e12,
            "data": {
                "tag": "performanceSpan",
                "payload": {
                    "op": "resource.fetch",
                    "description": "/a",
                    "data": {
                        "request": {"headers": {"a": "b"}, "body": {"c": ["d"]}},
                        "response": {"headers": {"a": "b"}, "body": "e"},
                    },
                },
            },
        },
    ),
    (
        "replay_recording",
        {
            "type": 6,
            "timestamp": 1.8e12,
            "data": {
                "plugin": "rrweb/console@1",
                "payload": {"level": "log", "payload": ['"a"', "b"], "trace": ["f (/a.js:1:2)"]},
            },
        },
    ),
)
