"""Secrets are filtered from every text of every kind of event that rrweb and Sentry's integration record."""

import copy
import itertools
import json
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from api.ingest.recording import opened
from tests.hostile_recordings import AT, Event
from tests.secret_catalog import SECRETS, Secret

HEAD = b'{"segment_id":0}\n'
# Of one recording, the bounds of what is looked into are of all its events together.
EVENTS_AT_ONCE = 150
FAST_STEP = 23
Path = tuple[str | int, ...]


def change(source: int, **data: Any) -> tuple[int, dict[str, Any]]:
    return 3, {"source": source, **data}


def custom(tag: str, **payload: Any) -> tuple[int, dict[str, Any]]:
    return 5, {"tag": tag, "payload": payload}


def crumb(category: str, **data: Any) -> tuple[int, dict[str, Any]]:
    return custom("breadcrumb", type="default", category=category, message="said", data=data)


TEXT = {"type": 3, "textContent": "said", "id": 9}
LINK = {
    "type": 2,
    "tagName": "a",
    "attributes": {"href": "/a", "class": "b", "style": "c", "onclick": "d", "alt": "e", "rr_dataURL": "f"},
    "childNodes": [TEXT, {"type": 5, "textContent": "a comment", "id": 10}],
    "id": 8,
}
REQUEST = {"headers": {"accept": "x"}, "body": "x", "size": 1, "_meta": {"warnings": ["x"]}}
RULE = {"rule": "a { color: red }", "index": 0}
KINDS: dict[str, tuple[int, dict[str, Any]]] = {
    "load": (1, {"note": "x"}),
    "snapshot": (
        2,
        {"node": {"type": 0, "childNodes": [{"type": 1, "name": "html", "publicId": "p"}, LINK], "id": 1}},
    ),
    "mutation": change(
        0,
        texts=[{"id": 9, "value": "said"}],
        attributes=[{"id": 8, "attributes": {"class": "b", "href": "/a", "style": {"color": "red"}}}],
        removes=[],
        adds=[{"parentId": 1, "nextId": None, "node": LINK}],
    ),
    "media": change(7, type=0, id=8, currentTime=1, note="x"),
    "rule of a style sheet": change(8, id=8, adds=[RULE], removes=[{"index": 1}], replace="a {}"),
    "canvas": change(9, id=8, type=0, commands=[{"property": "fillText", "args": ["said", 1, 2]}]),
    "font": change(10, family="Own", fontSource="url(/a.woff)", buffer=False, descriptors={"weight": "1"}),
    "log": change(11, level="info", trace=["at a.js:1:2"], payload=['"said"']),
    "declaration": change(13, id=8, index=[0], set={"property": "color", "value": "red", "priority": "x"}),
    "selection": change(14, ranges=[{"start": 9, "end": 9, "note": "x"}]),
    "adopted style sheet": change(15, id=8, styles=[{"styleId": 1, "rules": [RULE]}], styleIds=[1]),
    "custom element": change(16, define={"name": "own-element"}),
    "address": (4, {"href": "https://shop.example/", "width": 1, "height": 1}),
    "console": crumb("console", arguments=["said", {"note": "x"}], logger="console"),
    "click": crumb("ui.click", nodeId=8, node={"id": 8, "textContent": "x", "attributes": {"a": "b"}}),
    "key": crumb("ui.keyDown", nodeId=8, key="x"),
    "slow click": crumb("ui.slowClickDetected", url="/a", route="/b", endReason="timeout"),
    "navigation": crumb("navigation", **{"from": "/a", "to": "/b"}),
    "feedback": crumb("sentry.feedback", feedbackId="x"),
    "request": custom(
        "performanceSpan",
        op="resource.fetch",
        description="https://shop.example/api",
        data={"method": "GET", "request": REQUEST, "response": {**REQUEST, "body": {"a": ["x", {"b": "y"}]}}},
    ),
    "paint": custom("performanceSpan", op="web-vital", description="lcp", data={"nodes": [{"node": "x"}]}),
    "options": custom("options", sessionSampleRate=1, networkDetailAllowUrls=["/a"]),
    "console of a plugin": (
        6,
        {"plugin": "rrweb/console@1", "payload": {"level": "log", "trace": ["x"], "payload": ['"said"']}},
    ),
    "requests of a plugin": (
        6,
        {"plugin": "rrweb/network@1", "payload": {"requests": [{"url": "/a", "requestBody": "x"}]}},
    ),
}
PRINTED = frozenset({("payload", 0), ("payload", "payload", 0)})
"""Texts that are JSON themselves, as a console's arguments are recorded."""


def texts(value: Any, path: Path = ()) -> Iterator[Path]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if isinstance(value, str):
        yield path
    for step, inner in inside:
        yield from texts(inner, (*path, step))


def planted(kind: str, path: Path, secret: Secret) -> Event:
    type_, template = KINDS[kind]
    data = copy.deepcopy(template)
    around: Any = data
    for step in path[:-1]:
        around = around[step]
    is_printed = kind in ("log", "console of a plugin") and path in PRINTED
    around[path[-1]] = json.dumps(secret.text) if is_printed else secret.text
    return {"type": type_, "timestamp": AT, "data": data}


def left(step: int) -> list[tuple[str, Path, str]]:
    places = [(kind, path) for kind, (_, data) in KINDS.items() for path in texts(data)]
    every = ((*place, one) for place in places for one in SECRETS)
    chosen = list(itertools.islice(every, 0, None, step))
    assert {kind for kind, _, _ in chosen} == set(KINDS)
    return [
        found
        for first in range(0, len(chosen), EVENTS_AT_ONCE)
        for found in left_of(chosen[first : first + EVENTS_AT_ONCE])
    ]


def left_of(chosen: Iterable[tuple[str, Path, Secret]]) -> Iterator[tuple[str, Path, str]]:
    chosen = list(chosen)
    sent = json.dumps([planted(*one) for one in chosen], separators=(",", ":")).encode()
    stored = json.loads(opened(HEAD + zlib.compress(sent)).events.text())
    for (kind, path, secret), event in zip(chosen, stored, strict=True):
        written = json.dumps(event, ensure_ascii=False)
        if any(part in written or json.dumps(part)[1:-1] in written for part in secret.gone):
            yield kind, path, secret.id


def test_secrets_are_filtered_from_every_kind_of_event() -> None:
    assert left(FAST_STEP) == []


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_secret_is_filtered_from_every_text_of_every_kind() -> None:
    assert left(1) == []


@pytest.mark.parametrize("kind", ["console", "console of a plugin", "log", "request"])
def test_harmless_texts_of_a_recording_stay(kind: str) -> None:
    type_, data = KINDS[kind]
    event = {"type": type_, "timestamp": AT, "data": data}
    assert json.loads(opened(HEAD + json.dumps([event]).encode()).events.text()) == [event]
