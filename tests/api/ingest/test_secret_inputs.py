"""What visitors type into fields that the page names as secret is filtered from recordings."""

import json
import time
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from api.ingest.recording import opened
from errata.scrubbing import (
    FILTERED,
    RULES,
    ProjectRules,
    ScrubbingRules,
    TooLarge,
    TooManySuspects,
    compiled,
)
from tests.cases import each
from tests.hostile_recordings import AT, Event, Node, adds, changes, snapshot

HEAD = b'{"segment_id":0}\n'
VALUE = "Zq8typed01"
FIELD = 57
SECRET_FIELDS: dict[str, dict[str, Any]] = {
    "password": {"type": "password"},
    "upper case": {"type": "PASSWORD"},
    "password that is shown": {"type": "text", "data-rr-is-password": "true"},
    **{
        f"autocomplete {name}": {"type": "text", "autocomplete": name}
        for name in (
            *("current-password", "new-password", "one-time-code", "cc-csc", "cc-number"),
            *("section-pay billing cc-number", "username current-password webauthn"),
        )
    },
    **{
        f"{attribute} {name}": {"type": "text", attribute: name}
        for attribute in ("name", "id", "data-testid", "data-field", "placeholder", "aria-label", "title")
        for name in ("password", "userPassword", "cvv", "api-key", "order[card_number]", "password_field")
    },
    "no type": {"name": "pin"},
    "number": {"type": "tel", "placeholder": "Card number"},
    "hidden": {"type": "hidden", "name": "csrf_token"},
}
HARMLESS_FIELDS: dict[str, dict[str, Any]] = {
    "search": {"type": "search", "name": "q", "placeholder": "Search products"},
    "e-mail": {"type": "email", "autocomplete": "username", "id": "email"},
    "city": {"type": "text", "autocomplete": "shipping address-level2"},
    "button": {"type": "submit", "id": "reset-password"},
    "choice": {"type": "checkbox", "id": "show-password"},
}


def element(attributes: dict[str, Any] | None = None, **more: Any) -> Node:
    return container("input", **(attributes or {}), **more)


def container(tag: str, *children: Node, **attributes: Any) -> Node:
    return {
        "type": 2,
        "tagName": tag,
        "attributes": attributes,
        "childNodes": list(children),
        "id": FIELD,
    }


def typed(text: Any = VALUE, node: int = FIELD, **more: Any) -> Event:
    data = {"source": 5, "text": text, "isChecked": False, "id": node, **more}
    return {"type": 3, "timestamp": AT + 200, "data": data}


def changed(attributes: dict[str, Any] | None = None, **more: Any) -> Event:
    return changes(attributes=[{"id": FIELD, "attributes": {**(attributes or {}), **more}}])


def stored(*events: Event, rules: ScrubbingRules = RULES, spaces: bool = False) -> str:
    separators = (", ", ": ") if spaces else (",", ":")
    sent = HEAD + zlib.compress(json.dumps(events, separators=separators).encode())
    recording = opened(sent, rules)
    assert recording.counts.event_count == len(events) and recording.left_out_count == 0
    return recording.events.text()


def page(*nodes: Node) -> list[Event]:
    return snapshot([], list(nodes))


def ways(attributes: dict[str, Any]) -> dict[str, list[Event]]:
    """Each way in which rrweb records what is in a field."""
    empty, filled = element(attributes), element(attributes, value=VALUE)
    plain = {name: value for name, value in attributes.items() if name in ("data-rr-is-password",)}
    return {
        "in the snapshot": page(filled),
        "in a shadow root": page({**container("div", {**filled, "isShadow": True}), "isShadowHost": True}),
        "added": [*page(), adds(filled)],
        "added with a part of the page": [*page(), adds(container("div", {**filled, "id": 60}))],
        "typed": [*page(empty), typed(), typed(userTriggered=True)],
        "typed after it was added": [*page(), adds(empty), typed()],
        "changed attribute": [*page(empty), changed(value=VALUE)],
        "changed attribute behind a list in brackets": [
            *page(empty),
            changed({"style": {"color": "[]"}, "class": "w-[3px] ]", "value": VALUE}),
        ],
        "changed default": [*page(empty), changed({"defaultValue": VALUE, "data-initial-value": VALUE})],
        "named by a change": [*page(element(plain)), typed(), changed(attributes), typed()],
        "named after it was typed": [
            *page(element(value=VALUE)),
            typed(),
            changed(value=VALUE),
            changed(attributes),
        ],
        "shown later": [*page(empty), changed(type="text"), typed(), changed(value=VALUE)],
        "named and changed at once": [*page(element()), changed(attributes, value=VALUE)],
        "a number": [*page(empty), changed(value=4407)],
    }


@each("attributes", SECRET_FIELDS.values(), ids=SECRET_FIELDS.keys())
def test_what_a_secret_field_holds_is_filtered(attributes: dict[str, Any]) -> None:
    for way, events in ways(attributes).items():
        for spaces in (False, True):
            text = stored(*events, spaces=spaces)
            assert VALUE not in text and "4407" not in text, way
            assert FILTERED in text, way


@each("attributes", HARMLESS_FIELDS.values(), ids=HARMLESS_FIELDS.keys())
def test_what_other_fields_hold_is_kept(attributes: dict[str, Any]) -> None:
    for way, events in ways(attributes).items():
        assert FILTERED not in stored(*events), way


def test_a_text_area_is_filtered_with_its_text() -> None:
    text = {"type": 3, "textContent": VALUE, "id": 58}
    area, added = container("textarea", text, name="private_key"), {"parentId": FIELD, "nextId": None}
    empty = container("textarea", name="private_key")
    for events in (
        page(area),
        [*page(), adds(area)],
        [*page(empty), changes(adds=[{**added, "node": text}])],
        [*page(), changes(adds=[{"parentId": 5, "nextId": None, "node": empty}, {**added, "node": text}])],
        [*page(area), changes(texts=[{"id": 58, "value": VALUE}])],
        [*page(area), typed()],
    ):
        assert VALUE not in stored(*events)


def test_fields_of_a_project_are_secret_in_it_alone() -> None:
    rules = compiled(ProjectRules(filtered_names=("customer_number",), kept_names=("pin",)))
    own, kept = page(element(name="customerNumber")), page(element(name="pin"))
    assert VALUE not in stored(*own, typed(), rules=rules) and VALUE in stored(*own, typed())
    assert VALUE in stored(*kept, typed(), rules=rules) and VALUE not in stored(*kept, typed())


def test_a_segment_without_the_page_shows_no_typed_text() -> None:
    later = [changes(texts=[{"id": 9, "value": "read me"}]), changed({"class": "wide"})]
    text = stored(typed(), changed(value=VALUE), *later)
    assert VALUE not in text and "read me" in text and "wide" in text
    # What follows a page that the same segment shows is told apart.
    assert VALUE in stored(typed("first"), *page(), typed(node=90))
    assert "first" not in stored(typed("first"), *page(), typed(node=90))


@each("masked", ["", "*****", "•••"])
def test_what_the_sdk_masked_stays_as_it_is(masked: str) -> None:
    event = typed(masked)
    assert json.loads(stored(*page(element(type="password", value=masked)), event))[-1] == event
    assert json.loads(stored(event)) == [event]


def test_an_event_with_a_name_twice_hides_both_values() -> None:
    event = json.dumps(typed("")).replace('"text": ""', f'"text": "{VALUE}", "text": ""')
    found = opened(HEAD + f"[{event}]".encode())
    assert VALUE not in found.events.text()


@each("name", [r"\u0074ext", r"t\u0065xt"])
def test_letters_written_as_escapes_hide_nothing(name: str) -> None:
    written = json.dumps(page(element(type="password"))).replace('"password"', r'"p\u0061ssword"')
    event = json.dumps(typed()).replace('"text"', f'"{name}"')
    assert VALUE not in opened(HEAD + f"{written[:-1]}, {event}]".encode()).events.text()


def test_a_repaired_event_is_filtered() -> None:
    written = json.dumps([*page(element(type="password")), typed()]).replace('"isChecked": false', '"x": NaN')
    assert VALUE not in opened(HEAD + written.encode()).events.text()


HOSTILE: Mapping[str, Callable[[int], list[Event]]] = {
    "events": lambda size: [typed(node=number) for number in range(size)],
    "fields": lambda size: page(*({**element(name=f"pin{n} cvv"), "id": n} for n in range(size))),
    "attributes": lambda size: page(element({f"data-{n}": "cvv x" * 15 for n in range(size // 4)})),
    "brackets": lambda size: [changed({f"a{n}": "[" * 50 for n in range(size // 2)}, value="x")],
    "no text": lambda size: [{**typed(), "data": {"source": 5, "id": [1], "text": ["x"]}}],
    "no lists": lambda size: [{**typed(), "data": {"attributes": {"attributes": []}, "text": 1}}],
}


@pytest.mark.slow
@each("make", HOSTILE.values(), ids=HOSTILE)
def test_hostile_fields_take_time_by_their_number(make: Callable[[int], list[Event]]) -> None:
    small, large = (spent(make(size)) for size in (5_000, 20_000))
    # Four times as many; a time of its own for each pair of fields would be sixteen times as long.
    assert large < 8 * small + 0.1


def spent(events: list[Event]) -> float:
    """Seconds of CPU, the least of two times."""
    times = []
    for _ in range(2):
        began = time.process_time()
        stored(*events)
        times.append(time.process_time() - began)
    return min(times)


def test_more_changes_of_fields_than_any_page_makes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.ingest.secret_inputs.LOOKED_INTO_MAX", 50)
    with pytest.raises(TooManySuspects):
        stored(*(typed(node=number) for number in range(51)))
    stored(*page(element(type="password")), *(typed(node=90) for _ in range(51)))


def test_many_fields_of_a_page_are_filtered() -> None:
    fields = [{**element(type="password"), "id": number} for number in range(300)]
    assert VALUE not in stored(*page(*fields), *(typed(node=number) for number in range(300)))


def test_an_event_that_is_too_large_for_objects_is_refused() -> None:
    nodes = b"[]," * 5_000_000
    event = b'{"type":3,"timestamp":%d,"data":{"source":5,"id":1,"text":"a","x":[%s1]}}' % (AT, nodes)
    with pytest.raises(TooLarge):
        opened(HEAD + zlib.compress(b"[" + event + b"]"))


def test_nodes_of_crumbs_are_filtered_too() -> None:
    node = {"id": 7, "tagName": "input", "textContent": "", "attributes": {"name": "cvv", "value": VALUE}}
    crumb = {"category": "ui.click", "message": "input", "data": {"nodeId": 7, "node": node}}
    event = {"type": 5, "timestamp": AT, "data": {"tag": "breadcrumb", "payload": crumb}}
    assert VALUE not in stored(event)
