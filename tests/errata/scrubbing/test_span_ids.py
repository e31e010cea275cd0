"""Ids of spans stay where the protocol puts them, whatever their digits; the same digits elsewhere do not."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import pytest
from errata_sdk.line import line_of
from errata_wire.secret_text import FILTERED, SPAN_IDS, Places, is_card_number
from hypothesis import given, settings
from hypothesis import strategies as st

from errata.scrubbing import OneByOne, ProjectRules, compiled, scrubbed, without_secrets
from tests.cases import each

OWN_RULES = compiled(ProjectRules(("customer",), ("CUST-\\d+",)))
OF_LISTS = {"spans", "items", "links"}
Path = tuple[str, ...]


def _paths(places: Places, path: Path = ()) -> Iterator[Path]:
    for name, inner in places.items():
        yield from _paths(inner, (*path, name)) if inner else [(*path, name)]


PLACES = list(_paths(SPAN_IDS))
ELSEWHERE: Sequence[Path] = (
    ("message",),
    ("transaction",),
    ("extra", "span_id"),
    ("tags", "span_id"),
    ("user", "span_id"),
    ("contexts", "span_id"),
    ("contexts", "card", "span_id"),
    ("contexts", "trace"),
    ("contexts", "trace", "description"),
    ("contexts", "trace", "data", "span_id"),
    ("contexts", "trace", "extra", "span_id"),
    ("request", "data", "span_id"),
    ("spans", "description"),
    ("spans", "data", "url"),
    ("items", "attributes", "card", "value"),
    ("breadcrumbs", "span_id"),
)


def planted(path: Path, value: str) -> dict[str, Any]:
    found: Any = value
    for name in reversed(path):
        found = {name: [found] if name in OF_LISTS else found}
    return dict(found)


def at(payload: Any, path: Path) -> Any:
    for name in path:
        payload = payload[name][0] if name in OF_LISTS else payload[name]
    return payload


def stored(payload: dict[str, Any]) -> Iterator[Any]:
    """By the server, also with rules of a project, and by the SDK."""
    for sent in (msgspec.json.encode(payload), json.dumps(payload).encode()):
        yield json.loads(scrubbed(sent))
        yield json.loads(scrubbed(sent, OWN_RULES))
    yield json.loads(line_of("transaction", "key", {}, payload))["payload"]


@st.composite
def card_numbers(draw: st.DrawFn) -> str:
    digits = draw(st.sampled_from("3456")) + draw(st.text("0123456789", min_size=14, max_size=14))
    return next((digits + last for last in "0123456789" if is_card_number(digits + last)), "4111111111111111")


@pytest.mark.parametrize("place", PLACES, ids=".".join)
@settings(max_examples=10, deadline=None)
@given(card_numbers(), st.sampled_from(ELSEWHERE))
def test_an_id_stays_in_its_place_alone(place: Path, digits: str, elsewhere: Path) -> None:
    assert without_secrets(digits) == FILTERED
    for found in stored(planted(place, digits)):
        assert at(found, place) == digits
    if elsewhere[0] != place[0]:
        for found in stored(planted(place, digits) | planted(elsewhere, digits)):
            assert at(found, place) == digits
            assert digits not in json.dumps(at(found, elsewhere))


@each("elsewhere", ELSEWHERE, ids=".".join)
def test_the_digits_of_an_id_are_filtered_elsewhere(elsewhere: Path) -> None:
    for text in (
        "4111111111111111",
        "https://a.example/?card=4111111111111111",
        '{"span_id":"4111111111111111"}',
    ):
        for found in stored(planted(elsewhere, text)):
            assert "4111111111111111" not in json.dumps(found)


@each("digits", ["378282246310005", "4111 1111 1111 1111", "a 4111111111111111"])
def test_only_an_id_in_the_form_of_the_protocol_stays(digits: str) -> None:
    for place in PLACES:
        for found in stored(planted(place, digits)):
            assert digits not in json.dumps(found)


def test_recordings_have_no_places_of_ids() -> None:
    sent = json.dumps(planted(("contexts", "trace", "span_id"), "4111111111111111")).encode()
    assert b"4111111111111111" not in OneByOne().scrubbed(sent)


@settings(max_examples=100, deadline=None)
@given(st.text("0123456789", min_size=32, max_size=32))
def test_ids_of_32_digits_are_no_card_numbers(digits: str) -> None:
    uuid = "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
    assert [without_secrets(digits), without_secrets(uuid)] == [digits, uuid]
