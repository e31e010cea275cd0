"""A secret that a text loses by itself is lost wherever the text stands, whatever stands beside it."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from errata_sdk.line import line_of
from hypothesis import given, settings
from hypothesis import strategies as st

from errata.scrubbing import OneByOne, ProjectRules, compiled, scrubbed, scrubbed_object, without_secrets
from tests.cases import each
from tests.secret_catalog import PLANTED, Secret

OWN_RULES = compiled(
    ProjectRules(("customer",), ("CUST-\\d+",), kept_names=("order_token",), kept_patterns=("demo",))
)
OWN = Secret("of the project", "order of CUST-4711 failed", ("CUST-4711",))
# Harmless by themselves; many look like the beginning, the middle or the end of something.
TEXTS = (
    "x||y z|password|token|Authorization|--token|--password|session|cookie|pin|name|value|type|loc",
    "GET /cart|https://a.example/?page=2|None|***|demo|é\u2028|\n|\t|\x00|cookies|-----END |://",
    r"""[|]|{|}|["|"]|{"a": [|(|')|"|'|`|\|\"|\\|[('password',|["token",|b'|\u0070|%70|<input |curl """,
)
NEIGHBORS = st.sampled_from(["\\", *"|".join(TEXTS).split("|"), 0, 1, -1.5, 17, None, True, False])
NAMES = st.sampled_from(
    (
        "a|extra|values|list|name|value|key|type|loc|input|data|body|url|headers|query_string|cookies|message"
        '|args|modules|_meta|sdk|debug_meta|password|token|x y|a"b|\\|[|é||customer|order_token'
    ).split("|")
)
Wrap = Callable[[Any], Any]


def _listed(before: list[Any], after: list[Any]) -> Wrap:
    return lambda inner: [*before, inner, *after]


def _entry(before: dict[str, Any], name: str, after: dict[str, Any]) -> Wrap:
    return lambda inner: {**before, name: inner, **{key: one for key, one in after.items() if key != name}}


def _named(before: dict[str, Any], value: Any) -> Wrap:
    """As the name of an entry."""
    return lambda inner: {**before, inner: value} if isinstance(inner, str) else {**before, "a": inner}


def _written(inner: Any) -> Any:
    return json.dumps(inner) if isinstance(inner, dict | list) else inner


LEAVES = st.recursive(
    NEIGHBORS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=4,
)
LISTS, ENTRIES = st.lists(LEAVES, max_size=3), st.dictionaries(NAMES, LEAVES, max_size=3)
AS_VALUE = st.builds(_listed, LISTS, LISTS) | st.builds(_entry, ENTRIES, NAMES, ENTRIES) | st.just(_written)
ANYWHERE = AS_VALUE | st.builds(_named, ENTRIES, LEAVES)
SECRETS = st.sampled_from(PLANTED)


@st.composite
def payloads(
    draw: st.DrawFn, wraps: st.SearchStrategy[Wrap], cases: st.SearchStrategy[Secret]
) -> tuple[Secret, Any]:
    case = draw(cases)
    payload: Any = case.text
    for wrap in draw(st.lists(wraps, min_size=1, max_size=5)):
        payload = wrap(payload)
    return case, {**draw(ENTRIES), draw(NAMES): payload}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def left(case: Secret, stored: bytes | str) -> list[str]:
    """What is still in the JSON, also within texts that are JSON in turn."""
    decoded = json.loads(stored)
    found = []
    for secret in case.gone:
        forms, form = {secret}, secret
        for _ in range(7):
            form = json.dumps(form)[1:-1]
            forms.add(form)
        if any(form in text for text in _texts(decoded) for form in forms):
            found.append(secret)
    return found


@each("case", PLANTED, ids=lambda case: case.id)
def test_a_text_loses_its_secrets_by_itself(case: Secret) -> None:
    assert left(case, json.dumps(without_secrets(case.text))) == []


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(payloads(ANYWHERE, SECRETS))
def test_the_server_finds_a_secret_at_any_place(planted: tuple[Secret, Any]) -> None:
    case, payload = planted
    for sent in (msgspec.json.encode(payload), json.dumps(payload).encode()):
        assert left(case, scrubbed(sent)) == []
        assert left(case, OneByOne().scrubbed(sent)) == []
        assert left(case, scrubbed(sent, OWN_RULES)) == []
    assert left(case, json.dumps(scrubbed_object(payload))) == []


@settings(max_examples=100, deadline=None)
@given(payloads(ANYWHERE, st.just(OWN)))
def test_a_pattern_of_a_project_is_found_at_any_place(planted: tuple[Secret, Any]) -> None:
    case, payload = planted
    sent = json.dumps(payload).encode()
    assert left(case, scrubbed(sent, OWN_RULES)) == []
    assert left(case, OneByOne(OWN_RULES).scrubbed(sent)) == []


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(payloads(AS_VALUE, SECRETS))
def test_the_sdk_finds_a_secret_at_any_place(planted: tuple[Secret, Any]) -> None:
    case, payload = planted
    line = json.loads(line_of("event", "key", {"a": payload}, payload))
    assert left(case, json.dumps(line)) == []


def test_a_name_that_is_json_loses_what_its_texts_lose() -> None:
    """A card number whose spaces are escaped looks like one only once the name is read as JSON."""
    case = Secret("card", "", ("4242\u00a04242\u00a04242\u00a04242",))
    name = json.dumps([f"paid by {case.gone[0]}"])
    for payload in ({"a": {name: "\\"}}, {"a": {json.dumps({name: 1}): name}}):
        sent = json.dumps(payload).encode()
        assert left(case, scrubbed(sent)) == []
        assert left(case, OneByOne().scrubbed(sent)) == []
        assert left(case, json.dumps(scrubbed_object(payload))) == []


@each("sent", ['{"a":"password=hunter2Zs","a":"x"}', '{"a":"CUST-4711","a":"x"}'])
@each("written", [False, True])
def test_the_first_of_two_equal_names_hides_nothing(sent: str, written: bool) -> None:
    case = Secret("", "", ("hunter2Zs", "CUST-4711"))
    text = json.dumps({"extra": sent}) if written else f'{{"extra":{sent}}}'
    assert left(case, scrubbed(text.encode(), OWN_RULES)) == []
